// Heat around measuring: a device is let cool down before it is timed, and timed again if heat held
// it back meanwhile. Policies over functions that read and wait; one gate per device lives as long
// as the process. Not thread-safe.
#pragma once

#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/measure/timing.h"
#include "agent/sensors/thermal.h"
#include "agent/worker/task.h"

namespace burnish::worker {

class HeatGate {
 public:
  using Read = absl::FunctionRef<absl::StatusOr<sensors::Condition>()>;
  using Wait = absl::FunctionRef<absl::Status(absl::Duration)>;

  // Until the device is about as cool as it has been, or half a minute: then that is what it is
  // compared with from now on. Errors are those of
  // waiting; a device that does not tell its temperature is not waited for.
  absl::Status WaitUntilCool(Read read, Wait wait);

  struct Undisturbed {
    measure::Timing timing;
    bool throttled = false;  // it did not become undisturbed
  };
  // Times again, after pauses that grow, for as long as heat holds the device back, the policy goes
  // on and the time frame has room. Errors are those of timing and waiting.
  absl::StatusOr<Undisturbed> Time(absl::FunctionRef<absl::StatusOr<measure::Timing>()> time,
                                   const measure::TimeFrame& frame, Read read, Wait wait);

  // Of a device at work.
  bool HoldsBack(const sensors::Condition& condition);

 private:
  std::optional<double> start_celsius_;  // the coolest at a call
  sensors::ThrottleDetector throttling_;
};

// That of the task's device.
HeatGate& HeatGateOf(const Task& task);
// Lets it cool down, by what it tells of its temperature.
absl::Status CoolDown(const Task& task);
// Cancelled when the agent is gone meanwhile.
absl::Status Wait(const Task& task, absl::Duration duration);

}  // namespace burnish::worker
