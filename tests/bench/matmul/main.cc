// matmul_bench: matrix products that Burnish tunes, beside OpenBLAS and oneDNN. Exit code 1 if a
// figure missed its target.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/backends/cpu/device.h"
#include "agent/backends/cpu/roofs.h"
#include "agent/backends/cpu/toolchain.h"
#include "common/base/diagnostic.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"
#include "common/base/subprocess.h"
#include "tests/bench/matmul/groups.h"
#include "tests/bench/matmul/libraries.h"
#include "tests/bench/matmul/process.h"

namespace burnish::bench {
namespace {

struct Options {
  Selection selection;
  int64_t trials = 0;  // 0: chosen
  std::string configurations;
  std::string out;
  int threads = 0;  // of this part of the bench; 0: it starts the parts
};

constexpr char kUsage[] =
    "usage: matmul_bench [--quick] [--trials N] [--only GROUP|SHAPE]... [--configurations FILE] "
    "--out FILE.json\n"
    "--configurations: found ones are kept in FILE, and taken from it without a search\n"
    "groups: ";

std::optional<Options> Parse(const std::vector<std::string>& arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool has_value = i + 1 < arguments.size();
    if (arguments[i] == "--quick") {
      options.selection.quick = true;
    } else if (arguments[i] == "--trials" && has_value) {
      options.trials = ParseInteger(arguments[++i]).value_or(0);
      if (options.trials <= 0) return std::nullopt;
    } else if (arguments[i] == "--only" && has_value) {
      options.selection.only.push_back(arguments[++i]);
    } else if (arguments[i] == "--configurations" && has_value) {
      options.configurations = arguments[++i];
    } else if (arguments[i] == "--out" && has_value) {
      options.out = arguments[++i];
    } else if (arguments[i] == "--threads" && has_value) {
      options.threads = static_cast<int>(ParseInteger(arguments[++i]).value_or(0));
    } else {
      return std::nullopt;
    }
  }
  if (options.out.empty()) return std::nullopt;
  return options;
}

// Gone, with what is in it, at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string path = std::filesystem::temp_directory_path() / "burnish-bench-XXXXXX";
    if (::mkdtemp(path.data()) != nullptr) path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

nlohmann::json MachineJson(const work::Roofs& roofs) {
  nlohmann::json json;
  const backends::cpu::Cpu& cpu = backends::cpu::HostCpu();
  json["caches_bytes"] = {{"l1d", cpu.l1d.bytes}, {"l2", cpu.l2.bytes}, {"l3", cpu.l3.bytes}};
  json["instruction_sets"] = absl::StrJoin(cpu.isa, " ");
  if (backends::cpu::HostToolchain().ok()) {
    json["compiler"] = backends::cpu::HostToolchain()->version;
  }
  for (const auto& [name, version] : LibraryVersions()) json[name] = version;
  for (const work::Peak& peak : roofs.peaks) {
    json["peak_operations_per_second"][absl::StrCat(peak.dtype, ", ", peak.threads, " threads")] =
        peak.operations_per_second;
  }
  return json;
}

// The part of the bench for so many threads, in a process that has so many cores.
absl::Status RunPart(const Options& options) {
  DieWithParent();
  Report report;
  const TemporaryFolder folder;
  ASSIGN_OR_RETURN(ConfigurationFile configurations,
                   ConfigurationFile::Load(options.configurations));
  const bool quick = options.selection.quick;
  Settings settings;
  settings.trials = options.trials > 0 ? options.trials : quick ? 15 : 60;
  settings.contest.apart = options.threads > 1;
  if (quick) settings.contest.time = absl::Seconds(1);
  settings.folder = folder.path();
  settings.configurations = &configurations;
  settings.remark = [&](std::string text) { report.Remark(std::move(text)); };
  ASSIGN_OR_RETURN(settings.roofs,
                   backends::cpu::CpuRoofMeter().Measure({.artefact_folder = folder.path()}));
  report.machine = MachineJson(settings.roofs);
  nlohmann::json rows = nlohmann::json::array();
  RETURN_IF_ERROR(RunGroups(options.threads, options.selection, settings, report, rows));
  nlohmann::json json = report.Json();
  json["rows"] = std::move(rows);
  std::ofstream(options.out) << json.dump(2) << "\n";
  return absl::OkStatus();
}

// Adds a part's document to the whole.
void Merge(const nlohmann::json& part, nlohmann::json& whole) {
  whole["machine"].merge_patch(part.at("machine"));
  for (const char* list : {"figures", "remarks", "rows"}) {
    whole[list].insert(whole[list].end(), part.at(list).begin(), part.at(list).end());
  }
  whole["pass"] = whole["pass"].get<bool>() && part.at("pass").get<bool>();
}

// Each number of threads in a process of its own.
absl::StatusOr<bool> RunParts(const std::vector<std::string>& arguments, const Options& options) {
  nlohmann::json whole = Report().Json();
  whole["command"] = absl::StrCat("./dev bench matmul ", absl::StrJoin(arguments, " "));
  whole["machine"]["load_average_at_start"] = LoadAverage();
  whole["rows"] = nlohmann::json::array();
  for (const int threads : {1, 2}) {
    if (threads > CountCores()) {
      whole["remarks"].push_back("two_threads left out: there is one core");
      continue;
    }
    const std::string path = absl::StrCat(options.out, ".", threads);
    std::vector<std::string> with_threads = arguments;
    with_threads.insert(with_threads.end(), {"--threads", absl::StrCat(threads), "--out", path});
    ASSIGN_OR_RETURN(const int code, RunPinned(with_threads, threads));
    if (code != 0) return absl::InternalError(absl::StrCat("exit code ", code));
    std::ifstream file(path);
    const nlohmann::json part = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
    if (part.is_discarded()) return absl::InternalError(absl::StrCat(path, ": not readable"));
    Merge(part, whole);
    std::filesystem::remove(path);
  }
  if (whole["rows"].empty()) {
    return InvalidInput("--only names neither a group nor a shape",
                        absl::StrCat("groups: ", GroupNames()));
  }
  std::ofstream(options.out) << whole.dump(2) << "\n";
  return whole["pass"].get<bool>();
}

int Main(const std::vector<std::string>& arguments) {
  const std::optional<Options> options = Parse(arguments);
  if (!options.has_value()) {
    std::cerr << kUsage << GroupNames() << "\n";
    return 2;
  }
  const absl::StatusOr<bool> passed =
      options->threads == 0 ? RunParts(arguments, *options) : [&]() -> absl::StatusOr<bool> {
    RETURN_IF_ERROR(RunPart(*options));
    return true;
  }();
  if (!passed.ok()) {
    std::cerr << "matmul_bench: " << passed.status().message() << "\n";
    return 1;
  }
  return *passed ? 0 : 1;
}

}  // namespace
}  // namespace burnish::bench

int main(int argc, char** argv) {
  return burnish::bench::Main(std::vector<std::string>(argv + 1, argv + argc));
}
