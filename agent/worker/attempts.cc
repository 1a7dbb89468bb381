#include "agent/worker/attempts.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "agent/measure/interleave.h"
#include "agent/measure/timing.h"
#include "agent/worker/candidate_failure.h"
#include "agent/worker/contest.h"
#include "agent/worker/correctness_check.h"
#include "agent/worker/device_sensor.h"
#include "agent/worker/energy.h"
#include "agent/worker/heat_gate.h"
#include "agent/worker/kernel_run.h"
#include "agent/worker/sustained.h"
#include "common/base/clock.h"
#include "common/base/status_macros.h"
#include "common/space/configuration.h"

namespace burnish::worker {
namespace {

absl::Status LoadCandidate(const Task& task, absl::Duration time_limit, KernelRun& run) {
  return run.Load(task.definition().stages[0].entry, time_limit);
}

// What ended is said together with what ran.
std::string MessageOf(const absl::Status& status, const Task& task,
                      const space::Configuration& configuration) {
  const std::string message(status.message());
  const work::Outcome outcome = OutcomeOf(status);
  if (outcome != work::Outcome::kCrash && outcome != work::Outcome::kSandboxViolation) {
    return message;
  }
  return absl::StrCat(message, ", running ", task.definition().stages[0].entry, " with ",
                      space::ToJson(configuration));
}

// Of a device whose compiler can tell: the workspaces, and what the candidate keeps for itself.
work::Figures FiguresOf(const Task& task, const CandidateArtefact& candidate) {
  const auto footprint = task.backend().compiler().FootprintOf(candidate.path);
  if (!footprint) return {};
  double memory_bytes = footprint->variable_bytes;
  for (const spec::Argument& argument : task.arguments()) {
    if (!argument.is_buffer || argument.role != spec::Role::kWorkspace) continue;
    memory_bytes += static_cast<double>(argument.ElementCount()) *
                    static_cast<double>(DtypeBytes(argument.dtype));
  }
  return {.memory_bytes = memory_bytes, .code_bytes = footprint->code_bytes};
}

absl::StatusOr<std::optional<KernelRun>> StartIf(bool wanted, const Task& task,
                                                 const CandidateArtefact& candidate) {
  if (!wanted) return std::optional<KernelRun>();
  return KernelRun::Start(task, candidate.path);
}

// Unless it was given up on the way: then one is there that beats it.
absl::Status AddRival(const Task& task, const work::Measurement& measurement) {
  for (const char* skipped : {"energy_skipped", "sustained_skipped"}) {
    if (std::ranges::count(measurement.flags, skipped) > 0) return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(Contest* const contest, ContestOf(task));
  contest->Add(work::ValuesOf(*measurement.latency, measurement.correctness, measurement.figures));
  return absl::OkStatus();
}

// Between two checks, while heat lets it.
absl::StatusOr<HeatGate::Undisturbed> TimeChecked(const Task& task, double incumbent_seconds,
                                                  CorrectnessCheck& check, KernelRun& run) {
  const measure::TimingPlan plan = measure::MakePlan(
      task.definition().measure, task.backend().ranking_quantile(), incumbent_seconds);
  const work::DeviceInfo device = DeviceOf(task);
  ASSIGN_OR_RETURN(const int64_t launch_ns, check.BeforeTiming(run));
  ASSIGN_OR_RETURN(HeatGate::Undisturbed undisturbed,
                   HeatGateOf(task).Time(
                       [&] {
                         return measure::TimeKernel(
                             plan, launch_ns,
                             [&](int64_t launches) { return run.Execute(launches); }, run.time());
                       },
                       run.time(), [&] { return ReadConditionOf(device); },
                       [&](absl::Duration duration) { return Wait(task, duration); }));
  RETURN_IF_ERROR(check.AfterTiming(run));
  return undisturbed;
}

// Fills in samples, latency, figures, correctness and flags.
absl::Status MeasureInto(const Task& task, const CandidateArtefact& candidate,
                         const ReferenceValues& reference, double incumbent_seconds,
                         work::Measurement& measurement) {
  // The runners are started before this process holds the reference values. What takes long has
  // runners of its own, as this one's time limit is for verifying and timing.
  ASSIGN_OR_RETURN(KernelRun run, KernelRun::Start(task, candidate.path));
  ASSIGN_OR_RETURN(const bool measures_energy, MeasuresEnergy(task));
  ASSIGN_OR_RETURN(const bool measures_sustained, MeasuresSustained(task));
  ASSIGN_OR_RETURN(auto energy_run, StartIf(measures_energy, task, candidate));
  ASSIGN_OR_RETURN(auto sustained_run, StartIf(measures_sustained, task, candidate));
  ASSIGN_OR_RETURN(const ExpectedOutputs expected, reference.Get());
  RETURN_IF_ERROR(CoolDown(task));
  RETURN_IF_ERROR(LoadCandidate(task, task.run_timeout(), run));
  CorrectnessCheck check(task, expected);
  absl::StatusOr<HeatGate::Undisturbed> timed = TimeChecked(task, incumbent_seconds, check, run);
  measurement.correctness = check.correctness();
  RETURN_IF_ERROR(timed.status());
  measurement.samples = std::move(timed->timing.samples);
  measurement.latency = timed->timing.latency;
  measurement.figures = FiguresOf(task, candidate);
  if (timed->throttled) measurement.flags.push_back("throttled");
  if (timed->timing.raced) {
    measurement.flags.push_back("raced");
    return absl::OkStatus();
  }
  if (!timed->timing.converged) measurement.flags.push_back("unconverged");
  if (sustained_run) {
    RETURN_IF_ERROR(MeasureSustained(task, *std::move(sustained_run), expected, measurement));
  }
  if (energy_run) {
    RETURN_IF_ERROR(MeasureEnergy(task, *std::move(energy_run), expected, measurement));
  }
  if (measures_energy || measures_sustained) RETURN_IF_ERROR(AddRival(task, measurement));
  return absl::OkStatus();
}

// One finalist of a comparison, with its runner.
class Finalist {
 public:
  Finalist(const Task& task, KernelRun run, const ExpectedOutputs& expected)
      : run_(std::move(run)),
        check_(task, expected),
        plan_(measure::MakePlan(task.definition().measure, task.backend().ranking_quantile())) {}

  // Verified, warm, and with a batch size.
  absl::Status Prepare(const Task& task, absl::Duration time_limit) {
    RETURN_IF_ERROR(LoadCandidate(task, time_limit, run_));
    ASSIGN_OR_RETURN(const int64_t launch_ns, check_.BeforeTiming(run_));
    const auto execute = [&](int64_t launches) { return run_.Execute(launches); };
    ASSIGN_OR_RETURN(launches_, measure::Calibrate(plan_, launch_ns, execute, run_.time()));
    return absl::OkStatus();
  }

  absl::StatusOr<work::Sample> TakeSample() {
    const absl::Duration before = SystemClock().Monotonic();
    // The others' data is in the caches now. (Cold caches are flushed by the runner.)
    if (!plan_.single_launches) RETURN_IF_ERROR(run_.Execute(1).status());
    ASSIGN_OR_RETURN(const int64_t elapsed_ns, run_.Execute(launches_));
    longest_ = std::max(longest_, SystemClock().Monotonic() - before);
    return work::Sample{.total_ns = std::max<int64_t>(elapsed_ns, 1), .launches = launches_};
  }

  // For another sample, and the last check.
  bool HasTime() const { return run_.time().Left() > 2 * longest_; }
  absl::Status Finish() { return check_.AfterTiming(run_); }
  const work::Correctness& correctness() const { return check_.correctness(); }

 private:
  KernelRun run_;
  CorrectnessCheck check_;
  measure::TimingPlan plan_;
  int64_t launches_ = 1;
  absl::Duration longest_;  // of its samples
};

// As it is checked and sampled twenty times; what takes longer takes fewer rounds.
constexpr int kTimePerFinalist = 2;

// Compares those whose end is still ok, each in a new process.
absl::Status CompareOnce(const Task& task, const std::vector<CandidateArtefact>& candidates,
                         const ReferenceValues& reference, std::optional<ExpectedOutputs>& expected,
                         int rounds, uint64_t order_seed, std::vector<absl::Status>& ends,
                         work::Comparison& comparison) {
  std::vector<std::optional<KernelRun>> runs(candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!ends[i].ok()) continue;
    ASSIGN_OR_RETURN(KernelRun run, KernelRun::Start(task, candidates[i].path));
    runs[i].emplace(std::move(run));
  }
  if (!expected) {
    ASSIGN_OR_RETURN(ExpectedOutputs outputs, reference.Get());
    expected.emplace(std::move(outputs));
  }
  const absl::Duration time_limit = kTimePerFinalist * task.run_timeout();
  std::vector<std::optional<Finalist>> finalists(candidates.size());
  std::vector<bool> running;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (runs[i]) {
      finalists[i].emplace(task, *std::move(runs[i]), *expected);
      ends[i] = finalists[i]->Prepare(task, time_limit);
    }
    running.push_back(ends[i].ok());
  }
  measure::Contest contest = measure::Interleave(
      running, rounds, order_seed, [&](size_t i) { return finalists[i]->TakeSample(); },
      [&] {
        return std::ranges::all_of(
            finalists, [](const auto& finalist) { return !finalist || finalist->HasTime(); });
      });
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!finalists[i]) continue;
    if (ends[i].ok()) ends[i] = contest.ends[i];
    if (ends[i].ok()) ends[i] = finalists[i]->Finish();
    if (absl::IsCancelled(ends[i])) return ends[i];
    work::FinalistSamples& result = comparison.finalists[i];
    result.rounds.insert(result.rounds.end(), contest.rounds[i].begin(), contest.rounds[i].end());
    result.correctness = finalists[i]->correctness();
  }
  return absl::OkStatus();
}

// Where a process lands, in memory and caches, can make it faster or slower than another of the
// same program: half of the rounds each.
constexpr int kLaunches = 2;

absl::Status CompareInto(const Task& task, const std::vector<CandidateArtefact>& candidates,
                         const ReferenceValues& reference, int rounds, uint64_t order_seed,
                         work::Comparison& comparison) {
  for (const CandidateArtefact& candidate : candidates) {
    comparison.finalists.push_back({.configuration = candidate.configuration});
  }
  std::vector<absl::Status> ends(candidates.size());
  // At least two, as each alone takes a quarter at most.
  const size_t fitting = MachineBytes() / 2 / std::max<size_t>(task.layout().total_bytes(), 1);
  for (size_t i = fitting; i < candidates.size(); ++i) {
    ends[i] = absl::UnavailableError(
        absl::StrCat("left out: the memory is for the buffers of ", fitting, " at a time"));
  }
  std::optional<ExpectedOutputs> expected;  // known once the first runners are there
  for (int launch = 0; launch < kLaunches; ++launch) {
    const int until = rounds * (launch + 1) / kLaunches;
    const int from = rounds * launch / kLaunches;
    if (from == until) continue;
    RETURN_IF_ERROR(CoolDown(task));
    RETURN_IF_ERROR(CompareOnce(task, candidates, reference, expected, until - from,
                                order_seed + launch, ends, comparison));
  }
  bool any_ok = false;
  for (size_t i = 0; i < candidates.size(); ++i) {
    any_ok = any_ok || ends[i].ok();
    comparison.finalists[i].outcome = OutcomeOf(ends[i]);
    comparison.finalists[i].message = MessageOf(ends[i], task, candidates[i].configuration);
  }
  return any_ok ? absl::OkStatus() : absl::UnavailableError("no finalist could be compared");
}

// Outcome, message, duration and environment of a result, whichever kind it is.
template <typename Result>
void Conclude(const Task& task, const absl::Status& status, absl::Duration start, Result& result) {
  result.outcome = OutcomeOf(status);
  result.message = std::string(status.message());
  result.run_seconds = absl::ToDoubleSeconds(SystemClock().Monotonic() - start);
  const work::DeviceInfo device = DeviceOf(task);
  result.environment = device.environment;
  if (task.definition().costly_goals.empty()) return;
  if (const auto sensor = SensorText(device)) result.environment["sensor"] = *sensor;
}

}  // namespace

work::Measurement Measure(const Task& task, const CandidateArtefact& candidate,
                          const ReferenceValues& reference, double incumbent_seconds) {
  const absl::Duration start = SystemClock().Monotonic();
  work::Measurement measurement;
  const absl::Status status =
      MeasureInto(task, candidate, reference, incumbent_seconds, measurement);
  if (!status.ok()) {
    // Also of a candidate that failed while its energy was measured.
    measurement.samples.clear();
    measurement.latency.reset();
    measurement.figures = {};
  }
  Conclude(task, status, start, measurement);
  measurement.message = MessageOf(status, task, candidate.configuration);
  return measurement;
}

work::Comparison Compare(const Task& task, const std::vector<CandidateArtefact>& finalists,
                         const ReferenceValues& reference, int rounds, uint64_t order_seed) {
  const absl::Duration start = SystemClock().Monotonic();
  work::Comparison comparison;
  const absl::Status status =
      CompareInto(task, finalists, reference, rounds, order_seed, comparison);
  Conclude(task, status, start, comparison);
  return comparison;
}

}  // namespace burnish::worker
