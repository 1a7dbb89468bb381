#include "agent/worker/correctness_check.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "agent/verify/compare.h"
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
  correctness_.verified = expected_.has_value();
  return elapsed_ns;
}

absl::Status CorrectnessCheck::AfterTiming(KernelRun& run) {
  correctness_.verified = false;
  RETURN_IF_ERROR(run.CheckHarmless());
  RETURN_IF_ERROR(run.ExecuteFresh().status());
  RETURN_IF_ERROR(CheckOutputs(run));
  correctness_.verified = expected_.has_value();
  return absl::OkStatus();
}

absl::Status CorrectnessCheck::CheckOutputs(const KernelRun& run) {
  if (!expected_) return absl::OkStatus();
  for (size_t i = 0; i < task_.arguments().size(); ++i) {
    const spec::Argument& argument = task_.arguments()[i];
    if (!IsOutput(argument)) continue;
    const verify::OutputCheck check =
        verify::CompareOutput(argument, run.Buffer(i), (*expected_)[i]);
    correctness_.max_relative_error =
        std::max(correctness_.max_relative_error, check.max_relative_error);
    correctness_.relative_frobenius =
        std::max(correctness_.relative_frobenius, check.relative_frobenius);
    if (!check.right()) {
      correctness_.worst = check.worst;
      return CandidateFailed(work::Outcome::kWrongResult, check.worst);
    }
  }
  return absl::OkStatus();
}

}  // namespace burnish::worker
