// How long one execution takes: looks whether the kernel is anywhere near the best one that is
// known (the race), calibrates the size of a batch while warming up, then samples until the ranking
// statistic is known well enough or a bound is reached. Pure policies over a function that runs a
// batch, so tests drive them with a simulated kernel and clock. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/limits.h"
#include "common/spec/job_spec.h"
#include "common/work/measurement.h"

namespace burnish::measure {

// Executes back to back and gives the nanoseconds that took (caches flushed before, if asked for).
using RunBatch = absl::FunctionRef<absl::StatusOr<int64_t>(int64_t launches)>;

// The recipe, with its figures. The knobs of the job file override; zero, or -1, is "chosen".
struct TimingPlan {
  double quantile = 0.5;         // the ranking statistic
  bool single_launches = false;  // cold caches: a second execution in a sample would be warm
  int64_t number = 0;
  int64_t repeat = 0;
  int64_t warmup = -1;
  // Far above the clock's resolution, and 200 of them fill min_sampling.
  absl::Duration min_sample = absl::Microseconds(300);
  absl::Duration warmup_time = absl::Milliseconds(25);
  absl::Duration min_sampling = absl::Milliseconds(50);
  absl::Duration max_sampling = absl::Seconds(1);
  int64_t min_samples = 10;
  int64_t min_slow_samples = 3;  // where min_samples would take longer than max_sampling
  int64_t max_samples = limits::kSamplesPerMeasurement;
  double narrow = 0.01;  // half the 95 % interval, relative: good enough to stop
  double wide = 0.05;    // above it at the end: unconverged

  // The race: what is clearly slower than the best that is known is not sampled to the end, as
  // nobody needs to know how slow. 0: there is none to race against, or the number of samples is
  // given. The factors leave to noise what it may do to three samples (the fastest of them counts);
  // dropping at 1.25 loses .4 % of the kernels that are 1 % better, measured on a shared machine.
  double incumbent_seconds = 0;
  int64_t race_samples = 3;
  double clearly_slower = 1.25;
  double clearly_slower_in_noise = 1.5;  // where the samples differ by more than `wide`
  double far_slower = 3;  // in every sample of a warm-up: its time is no longer than that
};

TimingPlan MakePlan(const spec::MeasureOptions& options, double quantile,
                    double incumbent_seconds = 0);

struct Timing {
  std::vector<work::Sample> samples;
  work::Latency latency;
  bool converged = false;
  bool raced = false;  // clearly slower than the incumbent: few samples, a rough figure
};

// `deadline` is in `clock.Monotonic()` time.
struct TimeFrame {
  const Clock& clock;
  absl::Duration deadline;
  absl::Duration Left() const { return deadline - clock.Monotonic(); }
};

// All of it: probes, warms up, samples. `launch_ns` as for Calibrate().
absl::StatusOr<Timing> TimeKernel(const TimingPlan& plan, int64_t launch_ns, RunBatch run,
                                  const TimeFrame& time);

// In place of calibration, and only where `launch_ns` looks like it: samples for as long as a
// warm-up takes, that tell whether the kernel is far slower than the incumbent. Nothing, at the
// first sample that says so, if it is not.
absl::StatusOr<std::optional<Timing>> Probe(const TimingPlan& plan, int64_t launch_ns, RunBatch run,
                                            const TimeFrame& time);

// Warms up and gives the number of executions per sample. `launch_ns` is what an earlier execution
// took (which is thereby the dropped first run): a kernel slower than the whole warm-up needs none.
absl::StatusOr<int64_t> Calibrate(const TimingPlan& plan, int64_t launch_ns, RunBatch run,
                                  const TimeFrame& time);

// Samples in batches of `launches`; ends early when less than the time of two samples is left, so
// that there is time for a last check. Errors are those of `run`.
absl::StatusOr<Timing> TakeSamples(const TimingPlan& plan, int64_t launches, RunBatch run,
                                   const TimeFrame& time);

// The next size to try after `launches` took `elapsed_ns`, less than `target_ns`: 1.4 times the
// estimate, at least one more and at most tenfold.
int64_t NextBatch(int64_t launches, int64_t elapsed_ns, int64_t target_ns);

// "median" or "p20", its value and 95 % interval.
work::Latency Summarise(std::span<const work::Sample> samples, double quantile);
double RelativeHalfWidth(const work::Latency& latency);

}  // namespace burnish::measure
