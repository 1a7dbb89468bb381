#include "agent/measure/timing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/stats/statistics.h"

namespace burnish::measure {
namespace {

enum class Decision { kContinue, kStop };

// Whether a candidate with these samples, its first ones, is `factor` times slower than the
// incumbent.
bool Slower(const TimingPlan& plan, std::span<const work::Sample> samples, double factor) {
  if (plan.incumbent_seconds <= 0) return false;
  if (static_cast<int64_t>(samples.size()) != plan.race_samples) return false;
  return Summarise(samples, plan.quantile).min_seconds > factor * plan.incumbent_seconds;
}

bool LosesRace(const TimingPlan& plan, std::span<const work::Sample> samples) {
  if (!Slower(plan, samples, plan.clearly_slower)) return false;
  return Summarise(samples, plan.quantile).relative_mad <= plan.wide ||
         Slower(plan, samples, plan.clearly_slower_in_noise);
}

Decision AfterSample(const TimingPlan& plan, std::span<const work::Sample> samples,
                     absl::Duration spent) {
  const auto count = static_cast<int64_t>(samples.size());
  if (count >= plan.max_samples) return Decision::kStop;
  if (plan.repeat > 0) return count >= plan.repeat ? Decision::kStop : Decision::kContinue;
  if (spent >= plan.max_sampling && count >= plan.min_slow_samples) return Decision::kStop;
  if (count < plan.min_samples || spent < plan.min_sampling) return Decision::kContinue;
  const bool narrow = RelativeHalfWidth(Summarise(samples, plan.quantile)) <= plan.narrow;
  return narrow ? Decision::kStop : Decision::kContinue;
}

}  // namespace

TimingPlan MakePlan(const spec::MeasureOptions& options, double quantile,
                    double incumbent_seconds) {
  TimingPlan plan;
  if (options.repeat == 0) plan.incumbent_seconds = incumbent_seconds;
  plan.quantile = quantile;
  plan.single_launches = options.cache == spec::CacheState::kCold;
  plan.number = options.number;
  plan.repeat = options.repeat;
  plan.warmup = options.warmup;
  if (options.min_repeat_ms > 0) plan.min_sample = absl::Milliseconds(options.min_repeat_ms);
  // A given number of executions is meant, unless a shortest sample is asked for beside it.
  if (options.number > 0 && options.min_repeat_ms <= 0) plan.min_sample = absl::ZeroDuration();
  return plan;
}

int64_t NextBatch(int64_t launches, int64_t elapsed_ns, int64_t target_ns) {
  const double estimate = static_cast<double>(std::max<int64_t>(elapsed_ns, 1)) / launches;
  const double wanted = std::ceil(1.4 * target_ns / estimate);
  return static_cast<int64_t>(std::clamp(wanted, launches + 1.0, launches * 10.0));
}

absl::StatusOr<Timing> TimeKernel(const TimingPlan& plan, int64_t launch_ns, RunBatch run,
                                  const TimeFrame& time) {
  ASSIGN_OR_RETURN(std::optional<Timing> probed, Probe(plan, launch_ns, run, time));
  if (probed) return *std::move(probed);
  ASSIGN_OR_RETURN(const int64_t launches, Calibrate(plan, launch_ns, run, time));
  return TakeSamples(plan, launches, run, time);
}

absl::StatusOr<std::optional<Timing>> Probe(const TimingPlan& plan, int64_t launch_ns, RunBatch run,
                                            const TimeFrame& time) {
  using Result = std::optional<Timing>;
  const double far_ns = plan.far_slower * plan.incumbent_seconds * 1e9;
  if (far_ns <= 0 || static_cast<double>(launch_ns) <= far_ns) return Result();
  const int64_t target_ns = absl::ToInt64Nanoseconds(plan.min_sample);
  const int64_t launches =
      plan.single_launches ? 1 : std::max<int64_t>(1, (target_ns + launch_ns - 1) / launch_ns);
  Timing timing;
  const absl::Duration start = time.clock.Monotonic();
  for (absl::Duration now = start;
       static_cast<int64_t>(timing.samples.size()) < plan.race_samples ||
       now - start < plan.warmup_time;) {
    ASSIGN_OR_RETURN(const int64_t elapsed_ns, run(launches));
    if (static_cast<double>(elapsed_ns) <= far_ns * static_cast<double>(launches)) return Result();
    timing.samples.push_back({.total_ns = elapsed_ns, .launches = launches});
    const absl::Duration before = std::exchange(now, time.clock.Monotonic());
    if (time.Left() < 4 * (now - before)) return Result();
  }
  timing.samples.erase(timing.samples.begin(), timing.samples.end() - plan.race_samples);
  timing.latency = Summarise(timing.samples, plan.quantile);
  timing.raced = true;
  return Result(std::move(timing));
}

absl::StatusOr<int64_t> Calibrate(const TimingPlan& plan, int64_t launch_ns, RunBatch run,
                                  const TimeFrame& time) {
  const int64_t target_ns = plan.single_launches ? 0 : absl::ToInt64Nanoseconds(plan.min_sample);
  const absl::Duration warmup_time = plan.warmup >= 0 ? absl::ZeroDuration() : plan.warmup_time;
  if (plan.warmup > 0) RETURN_IF_ERROR(run(plan.warmup).status());

  int64_t launches = plan.single_launches ? 1 : std::max<int64_t>(plan.number, 1);
  int64_t elapsed_ns = launch_ns * launches;
  if (elapsed_ns >= target_ns && elapsed_ns >= absl::ToInt64Nanoseconds(warmup_time)) {
    return launches;
  }
  const absl::Duration start = time.clock.Monotonic();
  while (true) {
    const absl::Duration before = time.clock.Monotonic();
    ASSIGN_OR_RETURN(elapsed_ns, run(launches));
    const absl::Duration now = time.clock.Monotonic();
    if (elapsed_ns >= target_ns && now - start >= warmup_time) return launches;
    if (time.Left() < 4 * (now - before)) return launches;
    if (elapsed_ns < target_ns) launches = NextBatch(launches, elapsed_ns, target_ns);
  }
}

absl::StatusOr<Timing> TakeSamples(const TimingPlan& plan, int64_t launches, RunBatch run,
                                   const TimeFrame& time) {
  CHECK(launches > 0);
  Timing timing;
  const absl::Duration start = time.clock.Monotonic();
  absl::Duration longest;
  while (true) {
    const absl::Duration before = time.clock.Monotonic();
    ASSIGN_OR_RETURN(const int64_t elapsed_ns, run(launches));
    const absl::Duration now = time.clock.Monotonic();
    timing.samples.push_back({.total_ns = std::max<int64_t>(elapsed_ns, 1), .launches = launches});
    longest = std::max(longest, now - before);
    if (LosesRace(plan, timing.samples)) {
      timing.raced = true;
      break;
    }
    if (AfterSample(plan, timing.samples, now - start) == Decision::kStop) break;
    if (time.Left() < 2 * longest) break;
  }
  timing.latency = Summarise(timing.samples, plan.quantile);
  const auto count = static_cast<int64_t>(timing.samples.size());
  timing.converged = (plan.repeat > 0 ? count >= std::min(plan.repeat, plan.max_samples)
                                      : count >= plan.min_slow_samples) &&
                     RelativeHalfWidth(timing.latency) <= plan.wide;
  return timing;
}

work::Latency Summarise(std::span<const work::Sample> samples, double quantile) {
  CHECK(!samples.empty());
  std::vector<double> seconds;
  seconds.reserve(samples.size());
  for (const work::Sample& sample : samples) seconds.push_back(sample.LatencySeconds());
  work::Latency latency;
  latency.statistic = quantile == 0.5 ? "median" : absl::StrCat("p", std::lround(quantile * 100));
  latency.seconds = stats::Quantile(seconds, quantile);
  latency.interval = stats::QuantileInterval(seconds, quantile);
  latency.relative_mad = stats::RelativeMad(seconds);
  latency.min_seconds = *std::min_element(seconds.begin(), seconds.end());
  return latency;
}

double RelativeHalfWidth(const work::Latency& latency) {
  return (latency.interval.high - latency.interval.low) / (2 * latency.seconds);
}

}  // namespace burnish::measure
