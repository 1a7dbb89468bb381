// The null backend: a template to copy, and a device for load tests. See README.md.
#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "absl/strings/str_cat.h"
#include "agent/backends/registry.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/base/numbers.h"

namespace burnish::backends {
namespace {

constexpr size_t kArtefactBytes = 32;

int64_t NominalNanoseconds(const space::Configuration& configuration) {
  double microseconds = 100;
  for (const space::Setting& setting : configuration) {
    double value = 0;
    if (const bool* boolean = std::get_if<bool>(&setting.value)) {
      value = *boolean ? 1 : 0;
    } else if (const int64_t* integer = std::get_if<int64_t>(&setting.value)) {
      value = static_cast<double>(*integer);
    } else if (const double* real = std::get_if<double>(&setting.value)) {
      value = *real;
    } else {
      continue;
    }
    microseconds += 20 * std::abs(std::log2(std::max(1.0, value)) - 3);
  }
  return std::llround(microseconds * 1000);
}

class NullCompiler : public Compiler {
 public:
  CompileResult Compile(const CompileJob& job) const override {
    const std::string text = absl::StrCat(NominalNanoseconds(job.configuration));
    CompileResult result;
    result.artefact.key = Sha256Hex(absl::StrCat("null ", text));
    result.artefact.path = absl::StrCat(job.artefact_folder, "/", result.artefact.key, ".null");
    absl::Status written = MakeFolders(job.artefact_folder);
    if (written.ok()) written = WriteFileAtomically(result.artefact.path, text, false);
    result.outcome = written.ok() ? work::Outcome::kOk : work::Outcome::kInfrastructure;
    result.message = std::string(written.message());
    return result;
  }
};

class NullKernel : public LoadedKernel {
 public:
  explicit NullKernel(int64_t nominal_ns) : nominal_ns_(nominal_ns) {}

  absl::StatusOr<int64_t> Run(int64_t launches) override {
    const absl::Duration start = SystemClock().Monotonic();
    SleepThread(absl::Nanoseconds(nominal_ns_) * launches);
    return absl::ToInt64Nanoseconds(SystemClock().Monotonic() - start);
  }
  absl::Status Prepare() override { return absl::OkStatus(); }
  void FlushCaches() override {}

 private:
  const int64_t nominal_ns_;
};

class NullLoader : public Loader {
 public:
  absl::StatusOr<std::unique_ptr<LoadedKernel>> Load(const LoadJob& job) const override {
    const auto text = ReadFile(job.artefact_path, kArtefactBytes);
    if (!text.ok()) return text.status();
    const std::optional<int64_t> nominal_ns = ParseInteger(*text);
    if (!nominal_ns) return absl::FailedPreconditionError("not an artefact of the null backend");
    return std::make_unique<NullKernel>(*nominal_ns);
  }
};

class NullBackend : public Backend {
 public:
  std::string name() const override { return "null"; }
  std::vector<work::DeviceInfo> Devices() const override {
    work::DeviceInfo device;
    device.backend = "null";
    device.name = "null";
    device.device_class = "null";
    device.arch = "null";
    device.cores = 1;
    device.languages = {"cpp"};
    device.metrics = {spec::Metric::kLatency, spec::Metric::kThroughput};
    device.exclusion_group = "null";
    return {device};
  }
  double ranking_quantile() const override { return 0.2; }
  const Compiler& compiler() const override { return compiler_; }
  const Loader& loader() const override { return loader_; }

 private:
  NullCompiler compiler_;
  NullLoader loader_;
};

}  // namespace

std::unique_ptr<Backend> MakeNullBackend() { return std::make_unique<NullBackend>(); }

}  // namespace burnish::backends
