#include "server/jobs/candidate_source.h"

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/work/task_definition.h"
#include "server/jobs/job_plan.h"

namespace burnish::jobs {

absl::StatusOr<CandidateSource> SourceOfTask(store::Store& store, const Namespace& owner,
                                             const store::Task& task) {
  ASSIGN_OR_RETURN(const store::JobSource job, store.GetJobSource(owner, task.id.job));
  ASSIGN_OR_RETURN(const std::string schedule, store.TaskSchedule(owner, task.id));
  ASSIGN_OR_RETURN(
      const JobPlan plan,
      JobPlan::Read({.file_name = job.file_name, .text = job.text, .files = job.files}, schedule));
  CandidateSource candidate;
  candidate.configuration =
      task.result.best ? *task.result.best : plan.space().At(plan.default_index());
  const work::TaskDefinition definition = work::MakeTaskDefinition(plan.spec());
  const spec::Kernel& stage = definition.stages.front();
  ASSIGN_OR_RETURN(const spec::Source source, work::SourceOf(stage, candidate.configuration));
  candidate.language = stage.language;
  candidate.file = source.file;
  candidate.text =
      absl::StrCat(work::MacroLines(definition, stage, candidate.configuration), "\n", source.text);
  return candidate;
}

}  // namespace burnish::jobs
