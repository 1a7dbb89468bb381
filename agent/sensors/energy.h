// What one execution of a kernel takes, in joules: the policy of measuring it, over a function that
// executes and a record of readings, so that tests drive it with a scripted meter and a simulated
// clock. Not thread-safe.
//
// An idle baseline comes first. Then trials: executions back to back for a window whose rise is
// dropped, the mean power of the rest (difference of the counter, or trapezoids of the readings)
// times the time per execution. A sensor that does not see all of the time (it samples, or averages
// over less than its period) can be in step with the kernel, and then sees always the same part of
// it: for those every trial is cut into pieces with pauses between them, which put the executions
// into 32 different phases (the 8 shifted delays per trial of Yang, Adamek and Armour 2024,
// "Part-time power measurements: nvidia-smi's lack of attention").
#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/sensors/sensor.h"
#include "common/base/clock.h"

namespace burnish::sensors {

struct EnergyPlan {
  absl::Duration window;  // of executions, per trial, without its rise
  absl::Duration rise;    // dropped at the start of a trial
  absl::Duration settle;  // dropped after a pause: what the sensor lags behind
  absl::Duration idle;
  int trials = 3;
  int pieces = 1;  // per trial
};

// For a sensor that updates every `period`; `window` is what one would like for each trial.
EnergyPlan MakeEnergyPlan(const SensorInfo& info, absl::Duration period, absl::Duration window);
// Upper bound of MeasureEnergy, with time to cool down, but for kernels that take longer than a
// window.
absl::Duration EnergyTimeLimit(absl::Duration window);

// The readings of a sensor that is being read all the time.
class Record {
 public:
  virtual ~Record() = default;
  // In order. The sensor's error, once it is lost.
  virtual absl::StatusOr<std::vector<Reading>> Between(absl::Duration from, absl::Duration to) = 0;
};

// Mean power of a stretch by the readings in it; by a counter, from its first to its last change.
// DataLoss if there are too few of them to tell.
absl::StatusOr<double> MeanWatts(const std::vector<Reading>& readings, bool counter,
                                 absl::Duration from, absl::Duration to);

struct EnergyRig {
  const Clock& clock;
  absl::Duration deadline;  // monotonic
  Record& record;
  // Executes back to back.
  absl::FunctionRef<absl::Status(int64_t launches)> run;
  // Does nothing for so long.
  absl::FunctionRef<absl::Status(absl::Duration)> wait;
  // Whether the device was held back since the last call; such a trial is measured again.
  absl::FunctionRef<bool()> throttled;
};

struct Energy {
  double joules = 0;      // of one execution, what idling takes included
  double net_joules = 0;  // without
  double watts = 0;
  double idle_watts = 0;
  double relative_sigma = 0;  // of the trials
  bool throttled = false;     // and stayed so: the figures are of that
  bool stable() const { return relative_sigma <= 0.03; }
};

// `execution_seconds` is what one execution takes, about. Errors are those of the rig's functions,
// of the sensor, or DeadlineExceeded if not even one trial fits.
absl::StatusOr<Energy> MeasureEnergy(const SensorInfo& info, absl::Duration window,
                                     double execution_seconds, const EnergyRig& rig);

}  // namespace burnish::sensors
