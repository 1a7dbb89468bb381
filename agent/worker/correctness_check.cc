#include "agent/worker/correctness_check.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "agent/worker/candidate_failure.h"
#include "common/base/status_macros.h"

namespace burnish::worker {

absl::StatusOr<int64_t> CorrectnessCheck::BeforeTiming(KernelRun& run) {
  RETURN_IF_ERROR(run.ExecuteFresh().status());
  RETURN_IF_ERROR(CheckOutputs(run));
  const BufferContents first = run.Outputs();
  ASSIGN_OR_RETURN(const int64_t elapsed_ns, run.ExecuteFresh());
  RETURN_IF_ERROR(CheckOutputs(run));
  for (size_t i = 0; i < first.size(); ++i) {
    if (IsOutput(task_.arguments()[i]) && !std::ranges::equal(first[i], run.Buffer(i))) {
      return CandidateFailed(work::Outcome::kNondeterministic,
                             absl::StrCat("'", task_.arguments()[i].name,
                                          "' differs between two executions on the same inputs"));
    }
  }
  correctness_.verified = verifies();
  return elapsed_ns;
}

absl::Status CorrectnessCheck::AfterTiming(KernelRun& run) {
  correctness_.verified = false;
  RETURN_IF_ERROR(run.CheckHarmless());
  RETURN_IF_ERROR(run.ExecuteFresh().status());
  RETURN_IF_ERROR(CheckOutputs(run));
  correctness_.verified = verifies();
  return absl::OkStatus();
}

absl::Status CorrectnessCheck::CheckOutputs(const KernelRun& run) {
  if (const auto* sampled = std::get_if<SampledOutput>(&expected_)) {
    const size_t i = sampled->argument;
    return CheckOutput(verify::CompareSampled(task_.arguments()[i], run.Buffer(i),
                                              sampled->elements, sampled->values));
  }
  const auto* expected = std::get_if<BufferContents>(&expected_);
  if (expected == nullptr) return absl::OkStatus();
  for (size_t i = 0; i < task_.arguments().size(); ++i) {
    const spec::Argument& argument = task_.arguments()[i];
    if (!IsOutput(argument)) continue;
    RETURN_IF_ERROR(CheckOutput(verify::CompareOutput(argument, run.Buffer(i), (*expected)[i])));
  }
  return absl::OkStatus();
}

absl::Status CorrectnessCheck::CheckOutput(const verify::OutputCheck& check) {
  correctness_.max_relative_error =
      std::max(correctness_.max_relative_error, check.max_relative_error);
  correctness_.relative_frobenius =
      std::max(correctness_.relative_frobenius, check.relative_frobenius);
  if (check.right()) return absl::OkStatus();
  correctness_.worst = check.worst;
  return CandidateFailed(work::Outcome::kWrongResult, check.worst);
}

}  // namespace burnish::worker
