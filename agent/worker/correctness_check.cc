#include "agent/worker/correctness_check.h"

#include <algorithm>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/worker/candidate_failure.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"

namespace burnish::worker {
namespace {

using verify::InputSet;

}  // namespace

absl::StatusOr<int64_t> CorrectnessCheck::BeforeTiming(KernelRun& run) {
  RETURN_IF_ERROR(CheckExecution(run, InputSet::kAsFilled, "").status());
  const BufferContents first = run.Outputs();
  for (const InputSet set : expected_.sets()) {
    if (set == InputSet::kAsFilled) continue;
    RETURN_IF_ERROR(CheckExecution(run, set, "").status());
  }
  ASSIGN_OR_RETURN(const int64_t elapsed_ns, CheckExecution(run, InputSet::kAsFilled, ""));
  for (size_t i = 0; i < first.size(); ++i) {
    if (IsOutput(task_.arguments()[i]) && !std::ranges::equal(first[i], run.Buffer(i))) {
      return CandidateFailed(work::Outcome::kNondeterministic,
                             absl::StrCat("'", task_.arguments()[i].name,
                                          "' differs between two executions on the same inputs"));
    }
  }
  run.PoisonOutputs();
  correctness_.verified = verifies();
  return elapsed_ns;
}

absl::Status CorrectnessCheck::AfterTiming(KernelRun& run) {
  correctness_.verified = false;
  RETURN_IF_ERROR(run.CheckHarmless());
  if (!run.went_on()) {
    RETURN_IF_ERROR(CheckOutputs(run, InputSet::kAsFilled, " while it was timed"));
  }
  const std::vector<InputSet>& sets = expected_.sets();
  const InputSet set = verifies() ? sets[RandomSeed() % sets.size()] : InputSet::kAsFilled;
  RETURN_IF_ERROR(CheckExecution(run, set, " after it was timed").status());
  correctness_.verified = verifies();
  return absl::OkStatus();
}

absl::StatusOr<int64_t> CorrectnessCheck::CheckExecution(KernelRun& run, InputSet set,
                                                         const char* when) {
  ASSIGN_OR_RETURN(const int64_t elapsed_ns, run.ExecuteFresh(set));
  RETURN_IF_ERROR(CheckOutputs(run, set, when));
  return elapsed_ns;
}

absl::Status CorrectnessCheck::CheckOutputs(const KernelRun& run, InputSet set, const char* when) {
  if (!verifies()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::shared_ptr<const OutputValues> values, expected_.On(set));
  if (const auto* sampled = std::get_if<std::shared_ptr<const SampledOutput>>(values.get())) {
    const SampledOutput& output = **sampled;
    return CheckOutput(verify::CompareSampled(
                           task_.arguments()[output.argument], run.Buffer(output.argument),
                           output.elements, output.values, expected_.FactsOf(set, output.argument)),
                       set, when);
  }
  const BufferContents& expected = std::get<BufferContents>(*values);
  for (size_t i = 0; i < task_.arguments().size(); ++i) {
    const spec::Argument& argument = task_.arguments()[i];
    if (!IsOutput(argument)) continue;
    RETURN_IF_ERROR(CheckOutput(
        verify::CompareOutput(argument, run.Buffer(i), expected[i], expected_.FactsOf(set, i)), set,
        when));
  }
  return absl::OkStatus();
}

absl::Status CorrectnessCheck::CheckOutput(const verify::OutputCheck& check, InputSet set,
                                           const char* when) {
  correctness_.max_relative_error =
      std::max(correctness_.max_relative_error, check.max_relative_error);
  correctness_.relative_frobenius =
      std::max(correctness_.relative_frobenius, check.relative_frobenius);
  if (check.right()) return absl::OkStatus();
  correctness_.worst = check.worst;
  if (set != InputSet::kAsFilled) {
    absl::StrAppend(&correctness_.worst, " on ", std::string(verify::InputSetName(set)), " inputs");
  }
  absl::StrAppend(&correctness_.worst, when);
  return CandidateFailed(work::Outcome::kWrongResult, correctness_.worst);
}

}  // namespace burnish::worker
