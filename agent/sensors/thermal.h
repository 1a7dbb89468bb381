// Heat and clocks as small policies: whether a device is held back, how often to try again, and
// when it is cool enough to start. Pure, over functions that read and wait. Not thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/sensors/sensor.h"

namespace burnish::sensors {

// Held back: the hardware says so, or the clock is below 95 % of its median so far, or below 75 %
// of the default one.
class ThrottleDetector {
 public:
  // Of a device at work.
  bool Throttles(const Condition& condition);

 private:
  std::vector<double> clocks_hz_;  // of those not held back
};

// After a sample that heat spoilt: 50 ms, doubling to 2 s, and nothing after ten in a row.
class DiscardPolicy {
 public:
  std::optional<absl::Duration> Next();

 private:
  int discards_ = 0;
};

struct CoolDown {
  double margin_celsius = 3;
  absl::Duration limit = absl::Seconds(30);
  absl::Duration step = absl::Milliseconds(250);
};

// Waits until the temperature is at most the margin above `start_celsius`. False if it is not
// within the limit; true at once where no temperature is known. Errors are those of the functions.
absl::StatusOr<bool> WaitUntilCool(const CoolDown& policy, double start_celsius,
                                   absl::FunctionRef<absl::StatusOr<Condition>()> read,
                                   absl::FunctionRef<absl::Status(absl::Duration)> wait);

}  // namespace burnish::sensors
