#include "common/telemetry/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_split.h"
#include "common/base/file.h"
#include "common/base/numbers.h"

namespace burnish::telemetry {
namespace {

constexpr size_t kProcFileBytes = 1 << 20;

// Numbers of /proc/self/stat, by their position in proc(5) from 1; 0 for what is not there.
class ProcessStat {
 public:
  ProcessStat() {
    const auto text = ReadFile("/proc/self/stat", kProcFileBytes);
    if (!text.ok()) return;
    // The program's name, in parentheses, may hold anything.
    const size_t after_name = text->rfind(')');
    if (after_name == std::string::npos) return;
    fields_ = absl::StrSplit(text->substr(after_name + 1), ' ', absl::SkipEmpty());
  }
  double Field(size_t position) const {
    constexpr size_t kFirst = 3;  // the first one behind the name
    if (position - kFirst >= fields_.size()) return 0;
    return ParseReal(fields_[position - kFirst]).value_or(0);
  }

 private:
  std::vector<std::string> fields_;
};

double BootTimeSeconds() {
  const auto text = ReadFile("/proc/stat", kProcFileBytes);
  if (!text.ok()) return 0;
  constexpr std::string_view kKey = "\nbtime ";
  const size_t start = text->find(kKey);
  if (start == std::string::npos) return 0;
  const size_t from = start + kKey.size();
  return ParseReal(text->substr(from, text->find('\n', from) - from)).value_or(0);
}

double OpenDescriptors() {
  std::error_code error;
  double count = 0;
  for (auto entry = std::filesystem::directory_iterator("/proc/self/fd", error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    ++count;
  }
  return count - 1;  // not the one that was read from here
}

class ProcessMetrics {
 public:
  explicit ProcessMetrics(Metrics& metrics)
      : cpu_(metrics.NewCounter(kProcessCpu)),
        resident_(metrics.NewGauge(kProcessResident)),
        virtual_(metrics.NewGauge(kProcessVirtual)),
        open_fds_(metrics.NewGauge(kProcessOpenFds)),
        threads_(metrics.NewGauge(kProcessThreads)) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    metrics.NewGauge(kProcessMaxFds).Set(static_cast<double>(limit.rlim_cur));
    metrics.NewGauge(kProcessStart).Set(BootTimeSeconds() + ProcessStat().Field(22) / ticks_);
  }

  void Refresh() {
    const ProcessStat stat;
    const double cpu_seconds = (stat.Field(14) + stat.Field(15)) / ticks_;
    cpu_.Add(cpu_seconds - counted_cpu_seconds_);
    counted_cpu_seconds_ = cpu_seconds;
    threads_.Set(stat.Field(20));
    virtual_.Set(stat.Field(23));
    resident_.Set(stat.Field(24) * static_cast<double>(::sysconf(_SC_PAGESIZE)));
    open_fds_.Set(OpenDescriptors());
  }

 private:
  const double ticks_ = static_cast<double>(::sysconf(_SC_CLK_TCK));  // per second
  const Counter cpu_;
  const Gauge resident_;
  const Gauge virtual_;
  const Gauge open_fds_;
  const Gauge threads_;
  double counted_cpu_seconds_ = 0;
};

}  // namespace

void AddProcessMetrics(Metrics& metrics) {
  const auto process = std::make_shared<ProcessMetrics>(metrics);
  metrics.BeforeScrape([process] { process->Refresh(); });
}

}  // namespace burnish::telemetry
