#include "agent/worker/sustained.h"

#include <optional>
#include <utility>

#include "agent/measure/sustained.h"
#include "agent/worker/contest.h"
#include "agent/worker/correctness_check.h"
#include "agent/worker/device_sensor.h"
#include "agent/worker/heat_gate.h"
#include "common/base/clock.h"
#include "common/base/status_macros.h"

namespace burnish::worker {

absl::StatusOr<bool> MeasuresSustained(const Task& task) {
  if (task.definition().costly_goals.empty()) return false;
  ASSIGN_OR_RETURN(const Contest* const contest, ContestOf(task));
  return contest->goals().Name(spec::Metric::kSustained);
}

absl::Status MeasureSustained(const Task& task, KernelRun run, const ExpectedOutputs& expected,
                              work::Measurement& measurement) {
  ASSIGN_OR_RETURN(const Contest* const contest, ContestOf(task));
  const work::MetricValues known =
      work::ValuesOf(*measurement.latency, measurement.correctness, measurement.figures);
  const double latency_seconds = measurement.latency->seconds;
  if (!contest->CanWin(known, /*idle_watts=*/0, LeastWithoutPause(task, latency_seconds))) {
    measurement.flags.push_back("sustained_skipped");
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CoolDown(task));
  const absl::Duration window = TheSensorOptions().sustained;
  RETURN_IF_ERROR(run.Load(task.definition().stages[0].entry, 2 * task.run_timeout() + 2 * window));
  CorrectnessCheck check(task, expected);
  RETURN_IF_ERROR(check.BeforeTiming(run).status());
  ASSIGN_OR_RETURN(
      const std::optional<measure::Sustained> sustained,
      measure::MeasureSustained(
          window, latency_seconds, task.backend().ranking_quantile(),
          [&](int64_t launches) { return run.ExecuteBackToBack(launches); }, SystemClock()));
  RETURN_IF_ERROR(check.AfterTiming(run));
  if (!sustained) return absl::OkStatus();  // one execution takes as long as the first part of it
  measurement.figures.sustained_seconds = sustained->seconds;
  measurement.figures.sustained_ratio = sustained->ratio;
  return absl::OkStatus();
}

}  // namespace burnish::worker
