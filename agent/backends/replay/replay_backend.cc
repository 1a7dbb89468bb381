// The replay backend: devices that answer from files of measurements, one device a file. Nothing is
// compiled or executed and no time passes; what it says of a configuration is what the file says.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/backends/registry.h"
#include "common/base/limits.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/measured/figures.h"
#include "common/measured/reader.h"
#include "common/measured/table.h"

namespace burnish::backends {
namespace {

constexpr char kName[] = "replay";

work::Sample SampleOf(double seconds) {
  const int64_t total_ns = std::llround(seconds * 1e9);
  return {.total_ns = std::max<int64_t>(total_ns, 1), .launches = 1};
}

// Those that some record has.
std::vector<spec::Metric> MetricsOf(const measured::MeasuredSpace& measured) {
  std::vector<spec::Metric> metrics = {spec::Metric::kLatency, spec::Metric::kThroughput};
  const auto add_if = [&](spec::Metric metric, std::optional<double> work::Figures::*figure) {
    const bool any = std::ranges::any_of(measured.records, [&](const measured::Record& record) {
      return record.outcome == work::Outcome::kOk &&
             (measured::FiguresOf(record).*figure).has_value();
    });
    if (any) metrics.push_back(metric);
  };
  add_if(spec::Metric::kEnergy, &work::Figures::energy_joules);
  add_if(spec::Metric::kPower, &work::Figures::power_watts);
  add_if(spec::Metric::kMemory, &work::Figures::memory_bytes);
  return metrics;
}

absl::StatusOr<measured::Table> ReadTable(const std::string& path) {
  ASSIGN_OR_RETURN(measured::MeasuredSpace measured, measured::ReadFile(path));
  return measured::Table::Create(std::move(measured));
}

// One file.
class ReplayedDevice {
 public:
  ReplayedDevice(int32_t index, const std::string& path, bool noise) : noise_(noise) {
    info_.backend = kName;
    info_.index = index;
    info_.exclusion_group = absl::StrCat(kName, ":", index);
    info_.environment["replay"] = path;
    if (noise) info_.environment["replay_noise"] = "single runs";
    absl::StatusOr<measured::Table> table = ReadTable(path);
    if (!table.ok()) {
      const std::string why(table.status().message());
      info_.name = info_.device_class = path;
      info_.unavailable_reason = absl::StrContains(why, path) ? why : absl::StrCat(path, ": ", why);
      return;
    }
    const measured::MeasuredSpace& measured = table->measured();
    info_.name = measured.device.empty() ? measured.name : measured.device;
    // Not the class of the device itself, whose records are measurements.
    info_.device_class = info_.name + " (replayed)";
    info_.languages = {kName};
    info_.metrics = MetricsOf(measured);
    info_.labels["records"] = measured.name;
    if (!measured.kernel.empty()) info_.labels["kernel"] = measured.kernel;
    table_ = *std::move(table);
  }

  const work::DeviceInfo& info() const { return info_; }

  work::Measurement Measure(const space::Configuration& configuration, uint64_t seed) const {
    work::Measurement measurement;
    measurement.flags = {"replayed"};
    const measured::Record* const record = Find(configuration, measurement);
    if (record == nullptr) return measurement;
    measurement.compile_seconds = record->compile_seconds;
    if (record->outcome != work::Outcome::kOk) return measurement;
    RandomStream random(seed, "replay noise");
    const std::vector<double>& runs = record->samples_seconds;
    if (noise_ || runs.empty()) {
      measurement.samples = {Draw(*record, random)};
    } else {
      for (const double run :
           std::span(runs).first(std::min(runs.size(), limits::kSamplesPerMeasurement))) {
        measurement.samples.push_back(SampleOf(run));
      }
    }
    measurement.latency = LatencyOf(*record, measurement.samples);
    measurement.figures = measured::FiguresOf(*record);
    return measurement;
  }

  work::FinalistSamples Compare(const space::Configuration& configuration, int rounds,
                                RandomStream& random) const {
    work::FinalistSamples finalist{.configuration = configuration};
    const measured::Record* const record = Find(configuration, finalist);
    if (record == nullptr || record->outcome != work::Outcome::kOk) return finalist;
    for (int i = 0; i < rounds; ++i) finalist.rounds.push_back(Draw(*record, random));
    return finalist;
  }

 private:
  // The record, if there is one; outcome and message of the result are filled in.
  template <typename Result>
  const measured::Record* Find(const space::Configuration& configuration, Result& result) const {
    if (!table_) {
      result.message = info_.unavailable_reason;
      return nullptr;
    }
    const auto index = table_->space().IndexOf(configuration);
    if (!index) {
      result.outcome = work::Outcome::kRejected;
      result.message = absl::StrCat(table_->measured().name, " has no record of it");
      return nullptr;
    }
    const measured::Record& record = table_->At(*index);
    result.outcome = record.outcome;
    result.message = record.message;
    return &record;
  }

  // The mean of the runs or, with noise, one of them.
  work::Sample Draw(const measured::Record& record, RandomStream& random) const {
    const std::vector<double>& runs = record.samples_seconds;
    if (!noise_ || runs.empty()) return SampleOf(record.latency_seconds);
    return SampleOf(runs[random.UniformBelow(runs.size())]);
  }

  // The interval is the range of the runs.
  work::Latency LatencyOf(const measured::Record& record,
                          const std::vector<work::Sample>& samples) const {
    std::vector<double> seconds;
    for (const work::Sample& sample : samples) seconds.push_back(sample.LatencySeconds());
    const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
    return {.statistic = "mean",
            .seconds = noise_ ? seconds.front() : record.latency_seconds,
            .interval = {.low = *least, .high = *most},
            .relative_mad = stats::RelativeMad(seconds),
            .min_seconds = *least};
  }

  const bool noise_;
  work::DeviceInfo info_;
  std::optional<measured::Table> table_;
};

class ReplayBackend : public Backend, Compiler, Loader, Answerer {
 public:
  explicit ReplayBackend(ReplayOptions options) : options_(std::move(options)) {}

  std::string name() const override { return kName; }
  std::vector<work::DeviceInfo> Devices() const override {
    std::vector<work::DeviceInfo> infos;
    for (const ReplayedDevice& device : devices()) infos.push_back(device.info());
    return infos;
  }
  double ranking_quantile() const override { return 0.5; }
  const Compiler& compiler() const override { return *this; }
  const Loader& loader() const override { return *this; }
  const Answerer* answerer() const override { return this; }

 private:
  // A candidate is no more than its configuration.
  CompileResult Compile(const CompileJob& job) const override {
    return {.outcome = work::Outcome::kOk};
  }
  absl::StatusOr<std::unique_ptr<LoadedKernel>> Load(const LoadJob& job) const override {
    return absl::FailedPreconditionError("replayed kernels are not executed");
  }
  work::Measurement Measure(int32_t device_index, const space::Configuration& configuration,
                            uint64_t seed) const override {
    return devices()[device_index].Measure(configuration, seed);
  }
  work::Comparison Compare(int32_t device_index, const std::vector<space::Configuration>& finalists,
                           int rounds, uint64_t seed) const override {
    work::Comparison comparison;
    comparison.message = "no finalist could be compared";
    RandomStream random(seed, "replay comparison");
    for (const space::Configuration& finalist : finalists) {
      comparison.finalists.push_back(devices()[device_index].Compare(finalist, rounds, random));
      if (comparison.finalists.back().outcome != work::Outcome::kOk) continue;
      comparison.outcome = work::Outcome::kOk;
      comparison.message = "";
    }
    return comparison;
  }

  // The files are read when somebody first asks: build workers never do.
  const std::vector<ReplayedDevice>& devices() const {
    std::call_once(read_, [this] {
      for (const std::string& path : options_.records) {
        devices_.emplace_back(static_cast<int32_t>(devices_.size()), path, options_.noise);
      }
    });
    return devices_;
  }

  const ReplayOptions options_;
  mutable std::once_flag read_;
  mutable std::vector<ReplayedDevice> devices_;
};

}  // namespace

std::unique_ptr<Backend> MakeReplayBackend(ReplayOptions options) {
  return std::make_unique<ReplayBackend>(std::move(options));
}

}  // namespace burnish::backends
