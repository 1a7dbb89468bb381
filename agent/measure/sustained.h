// How much slower a kernel gets when a device has been at it for a while: executions without a
// pause, of which the first are compared with the last. Pure policy over a function that runs a
// batch.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/measure/timing.h"

namespace burnish::measure {

struct Sustained {
  double seconds = 0;  // the ranking statistic of the last quarter (15 s of a minute)
  double ratio = 0;    // over that of the first twelfth (5 s); above 1: it got slower
};

// Batches of a hundredth of `window`, by what one execution takes at first. Nothing if one
// execution takes so long that the window has no two parts. Errors are those of `run`.
absl::StatusOr<std::optional<Sustained>> MeasureSustained(absl::Duration window,
                                                          double latency_seconds, double quantile,
                                                          RunBatch run, const Clock& clock);

}  // namespace burnish::measure
