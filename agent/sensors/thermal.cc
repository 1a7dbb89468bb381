#include "agent/sensors/thermal.h"

#include <algorithm>

#include "common/base/status_macros.h"
#include "common/stats/statistics.h"

namespace burnish::sensors {
namespace {

constexpr double kShareOfMedian = 0.95;
constexpr double kShareOfDefault = 0.75;
constexpr absl::Duration kFirstPause = absl::Milliseconds(50);
constexpr absl::Duration kLongestPause = absl::Seconds(2);
constexpr int kMaxDiscards = 10;
constexpr absl::Duration kFirst = absl::Seconds(5);
constexpr absl::Duration kLast = absl::Seconds(15);
constexpr size_t kMaxClocks = 1000;

}  // namespace

bool ThrottleDetector::Throttles(const Condition& condition) {
  if (!condition.throttle.empty()) return true;
  if (!condition.clock_hz) return false;
  if (condition.default_clock_hz &&
      *condition.clock_hz < kShareOfDefault * *condition.default_clock_hz) {
    return true;
  }
  if (!clocks_hz_.empty() && *condition.clock_hz < kShareOfMedian * stats::Median(clocks_hz_)) {
    return true;
  }
  if (clocks_hz_.size() < kMaxClocks) clocks_hz_.push_back(*condition.clock_hz);
  return false;
}

std::optional<absl::Duration> DiscardPolicy::Next() {
  if (discards_ >= kMaxDiscards) return std::nullopt;
  return std::min(kFirstPause * (1 << discards_++), kLongestPause);
}

absl::StatusOr<bool> WaitUntilCool(const CoolDown& policy, double start_celsius,
                                   absl::FunctionRef<absl::StatusOr<Condition>()> read,
                                   absl::FunctionRef<absl::Status(absl::Duration)> wait) {
  for (absl::Duration waited; true; waited += policy.step) {
    ASSIGN_OR_RETURN(const Condition condition, read());
    if (!condition.celsius || *condition.celsius <= start_celsius + policy.margin_celsius) {
      return true;
    }
    if (waited >= policy.limit) return false;
    RETURN_IF_ERROR(wait(policy.step));
  }
}

std::optional<double> SustainedRatio(std::span<const TimedExecution> executions) {
  if (executions.empty() || executions.back().at < kFirst + kLast) return std::nullopt;
  const absl::Duration last_from = executions.back().at - kLast;
  std::vector<double> first;
  std::vector<double> last;
  for (const TimedExecution& execution : executions) {
    if (execution.at <= kFirst) first.push_back(execution.seconds);
    if (execution.at > last_from) last.push_back(execution.seconds);
  }
  if (first.empty()) return std::nullopt;  // one execution took longer than that
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  return mean(last) / mean(first);
}

}  // namespace burnish::sensors
