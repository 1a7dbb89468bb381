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

}  // namespace burnish::sensors
