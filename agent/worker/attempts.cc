#include "agent/worker/attempts.h"

#include <memory>
#include <optional>

#include "agent/measure/interleave.h"
#include "agent/measure/timing.h"
#include "agent/worker/candidate_failure.h"
#include "agent/worker/correctness_check.h"
#include "agent/worker/kernel_run.h"
#include "common/base/clock.h"
#include "common/base/status_macros.h"

namespace burnish::worker {
namespace {

// Starts the runner before the reference values are in this process.
absl::StatusOr<KernelRun> StartCandidate(const Task& task, const CandidateArtefact& candidate,
                                         absl::Duration time_limit) {
  return KernelRun::Start(task, candidate.path, task.definition().stages[0].entry, time_limit);
}

absl::StatusOr<std::optional<BufferContents>> LoadExpected(const ReferenceValues* reference) {
  if (reference == nullptr) return std::optional<BufferContents>();
  ASSIGN_OR_RETURN(BufferContents expected, reference->Load());
  return std::optional<BufferContents>(std::move(expected));
}

// Fills in samples, latency, correctness and flags.
absl::Status MeasureInto(const Task& task, const CandidateArtefact& candidate,
                         const ReferenceValues* reference, work::Measurement& measurement) {
  if (reference != nullptr) RETURN_IF_ERROR(reference->Ensure());
  ASSIGN_OR_RETURN(KernelRun run, StartCandidate(task, candidate, task.run_timeout()));
  ASSIGN_OR_RETURN(const std::optional<BufferContents> expected, LoadExpected(reference));
  CorrectnessCheck check(task, expected);
  const auto checked_timing = [&]() -> absl::StatusOr<measure::Timing> {
    const measure::TimingPlan plan =
        measure::MakePlan(task.definition().measure, task.backend().ranking_quantile());
    const auto execute = [&](int64_t launches) { return run.Execute(launches); };
    ASSIGN_OR_RETURN(const int64_t launch_ns, check.BeforeTiming(run));
    ASSIGN_OR_RETURN(const int64_t launches,
                     measure::Calibrate(plan, launch_ns, execute, run.time()));
    ASSIGN_OR_RETURN(measure::Timing timing,
                     measure::TakeSamples(plan, launches, execute, run.time()));
    RETURN_IF_ERROR(check.AfterTiming(run));
    return timing;
  };
  absl::StatusOr<measure::Timing> timing = checked_timing();
  measurement.correctness = check.correctness();
  RETURN_IF_ERROR(timing.status());
  measurement.samples = std::move(timing->samples);
  measurement.latency = timing->latency;
  if (!timing->converged) measurement.flags.push_back("unconverged");
  return absl::OkStatus();
}

// One finalist of a comparison, with its runner.
class Finalist {
 public:
  static absl::StatusOr<std::unique_ptr<Finalist>> Start(const Task& task,
                                                         const CandidateArtefact& candidate,
                                                         absl::Duration time_limit) {
    ASSIGN_OR_RETURN(KernelRun run, StartCandidate(task, candidate, time_limit));
    return std::unique_ptr<Finalist>(new Finalist(task, std::move(run)));
  }

  absl::Status Prepare(const std::optional<BufferContents>& expected, int rounds) {
    check_.emplace(task_, expected);
    ASSIGN_OR_RETURN(const int64_t launch_ns, check_->BeforeTiming(run_));
    const auto execute = [&](int64_t launches) { return run_.Execute(launches); };
    ASSIGN_OR_RETURN(launches_, measure::Calibrate(plan_, launch_ns, execute, run_.time()));
    return absl::OkStatus();
  }

  absl::StatusOr<work::Sample> TakeSample() {
    // The others' data is in the caches now. (Cold caches are flushed by the runner.)
    if (!plan_.single_launches) RETURN_IF_ERROR(run_.Execute(1).status());
    ASSIGN_OR_RETURN(const int64_t elapsed_ns, run_.Execute(launches_));
    return work::Sample{.total_ns = std::max<int64_t>(elapsed_ns, 1), .launches = launches_};
  }

  absl::Status Finish() { return check_->AfterTiming(run_); }
  work::Correctness correctness() const {
    return check_ ? check_->correctness() : work::Correctness();
  }

 private:
  Finalist(const Task& task, KernelRun run)
      : task_(task),
        run_(std::move(run)),
        plan_(measure::MakePlan(task.definition().measure, task.backend().ranking_quantile())) {}

  const Task& task_;
  KernelRun run_;
  const measure::TimingPlan plan_;
  std::optional<CorrectnessCheck> check_;
  int64_t launches_ = 1;
};

absl::Status CompareInto(const Task& task, const std::vector<CandidateArtefact>& candidates,
                         const ReferenceValues* reference, int rounds, uint64_t order_seed,
                         work::Comparison& comparison) {
  if (reference != nullptr) RETURN_IF_ERROR(reference->Ensure());
  // They take turns, so each one's clock runs while the others work.
  const absl::Duration time_limit = static_cast<double>(candidates.size()) * task.run_timeout();
  std::vector<std::unique_ptr<Finalist>> finalists(candidates.size());
  std::vector<absl::Status> ends(candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i) {
    auto finalist = Finalist::Start(task, candidates[i], time_limit);
    ends[i] = finalist.status();
    if (finalist.ok()) finalists[i] = *std::move(finalist);
  }
  ASSIGN_OR_RETURN(const std::optional<BufferContents> expected, LoadExpected(reference));
  std::vector<bool> running(candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (ends[i].ok()) ends[i] = finalists[i]->Prepare(expected, rounds);
    running[i] = ends[i].ok();
  }
  measure::Contest contest = measure::Interleave(
      running, rounds, order_seed, [&](size_t i) { return finalists[i]->TakeSample(); });
  bool any_ok = false;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (ends[i].ok()) ends[i] = contest.ends[i];
    if (ends[i].ok()) ends[i] = finalists[i]->Finish();
    if (absl::IsCancelled(ends[i])) return ends[i];
    any_ok = any_ok || ends[i].ok();
    work::FinalistSamples& result = comparison.finalists.emplace_back();
    result.configuration = candidates[i].configuration;
    result.outcome = OutcomeOf(ends[i]);
    result.message = std::string(ends[i].message());
    result.rounds = std::move(contest.rounds[i]);
    if (finalists[i] != nullptr) result.correctness = finalists[i]->correctness();
  }
  return any_ok ? absl::OkStatus() : absl::UnavailableError("no finalist could be compared");
}

// Outcome, message, duration and environment of a result, whichever kind it is.
template <typename Result>
void Conclude(const Task& task, const absl::Status& status, absl::Duration start, Result& result) {
  result.outcome = OutcomeOf(status);
  result.message = std::string(status.message());
  result.run_seconds = absl::ToDoubleSeconds(SystemClock().Monotonic() - start);
  result.environment = task.backend().Devices()[task.device_index()].environment;
}

}  // namespace

work::Measurement Measure(const Task& task, const CandidateArtefact& candidate,
                          const ReferenceValues* reference) {
  const absl::Duration start = SystemClock().Monotonic();
  work::Measurement measurement;
  const absl::Status status = MeasureInto(task, candidate, reference, measurement);
  Conclude(task, status, start, measurement);
  return measurement;
}

work::Comparison Compare(const Task& task, const std::vector<CandidateArtefact>& finalists,
                         const ReferenceValues* reference, int rounds, uint64_t order_seed) {
  const absl::Duration start = SystemClock().Monotonic();
  work::Comparison comparison;
  const absl::Status status =
      CompareInto(task, finalists, reference, rounds, order_seed, comparison);
  Conclude(task, status, start, comparison);
  return comparison;
}

}  // namespace burnish::worker
