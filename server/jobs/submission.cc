#include "server/jobs/submission.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/work/objectives.h"
#include "common/work/schedule.h"
#include "common/work/task_definition.h"
#include "server/jobs/device_match.h"
#include "server/jobs/history.h"
#include "server/jobs/job_plan.h"
#include "server/jobs/metric_match.h"
#include "server/templates/lowering.h"

namespace burnish::jobs {
namespace {

// A device that was seen so lately is expected back: its agent, or the database, restarts.
constexpr absl::Duration kExpectedBack = absl::Minutes(5);

// A share of the roof can be reached if the device has one for this work, or soon will.
absl::Status CheckRoofShare(const spec::JobText& text, const work::DeviceInfo& device,
                            const work::KernelWork& work) {
  const work::Roofs& roofs = device.roofs;
  if (!roofs.known() && (roofs.absence.empty() || roofs.absence == work::kRoofsPending)) {
    return absl::OkStatus();
  }
  if (work::AttainableOperations(roofs, work)) return absl::OkStatus();
  return DiagnosticStatus(
      absl::StatusCode::kInvalidArgument,
      {.file = text.file_name,
       .path = "budget.roof_share",
       .message = absl::StrCat(
           device.name, " has no roof for this work: ",
           roofs.known() ? absl::StrCat("none was measured for ", work.dtype) : roofs.absence),
       .hint = "use `target`, or leave it out"});
}

// Nothing is looked up if the strategy that the plan comes to would not use it.
absl::StatusOr<std::vector<store::HistorySource>> HistoryFor(store::Store& store,
                                                             const Namespace& owner,
                                                             const store::NewTask& task,
                                                             const JobPlan& plan) {
  // Records are of latency.
  if (!plan.spec().strategy.history || !plan.latency_alone() || !plan.LearnsFromHistory()) {
    return std::vector<store::HistorySource>();
  }
  return FindHistory(store, owner, task, plan.space());
}

// `text` makes the plan of a user's kernel; of a workload, with a schedule for the device.
absl::StatusOr<store::NewTask> TaskFor(store::Store& store, const Namespace& owner,
                                       const spec::JobText& text, const spec::JobSpec& job,
                                       const work::DeviceInfo& device) {
  std::string schedule;
  if (job.workload) {
    ASSIGN_OR_RETURN(const templates::Lowered lowered,
                     templates::Lower(*job.workload, templates::TargetOf(device, job.threads)));
    schedule = work::ToText(lowered.schedule);
  }
  ASSIGN_OR_RETURN(const JobPlan plan, JobPlan::Read(text, schedule));
  const spec::JobSpec& spec = plan.spec();
  const work::KernelWork work = plan.work();
  if (spec.budget.roof_share) RETURN_IF_ERROR(CheckRoofShare(text, device, work));
  store::NewTask task{.device_class = device.device_class,
                      .selector = spec.devices.text(),
                      .hash = work::HashOf(work::MakeTaskDefinition(spec)),
                      .problem = spec.name,
                      .problem_key = work::ProblemKey(spec),
                      .source_hash = work::SourceHash(spec),
                      .space_size = plan.space().size(),
                      .budget_trials = spec.budget.trials,
                      .budget_seconds = spec.budget.seconds.value_or(0),
                      .budget_device_seconds = spec.budget.device_seconds.value_or(0),
                      .work = work,
                      .goals = burnish::work::GoalsText(spec),
                      .family = work::KernelFamily(spec),
                      .schedule = std::move(schedule),
                      .history = {}};
  ASSIGN_OR_RETURN(task.history, HistoryFor(store, owner, task, plan));
  return task;
}

absl::Status CheckQuota(store::Store& store, const Namespace& owner) {
  ASSIGN_OR_RETURN(const int64_t active, store.CountActiveJobs(owner));
  if (active < limits::kActiveJobsPerNamespace) return absl::OkStatus();
  return DiagnosticStatus(
      absl::StatusCode::kResourceExhausted,
      {.message = absl::StrCat("namespace ", owner.value(), " has ", active,
                               " jobs that have not ended; no more are taken"),
       .hint = "wait for some to end, or cancel them: `burnish list`, `burnish cancel JOB`"});
}

}  // namespace

absl::StatusOr<spec::JobText> TextOf(store::Store& store, const Namespace& owner,
                                     const Submission& submission) {
  size_t bytes = 0;
  for (const auto& [name, content] : submission.job.files) bytes += content.size();
  for (const auto& [name, blob] : submission.blobs) {
    ASSIGN_OR_RETURN(const store::BlobState state, store.StatBlob(owner, blob));
    if (!state.complete) return store::MissingBlob(name, blob);
    bytes += static_cast<size_t>(state.size_bytes);
  }
  if (bytes > limits::kJobSourceBytes) {
    return InvalidInput(absl::StrCat("the job's source files have ", bytes, " bytes; all together ",
                                     "may have ", limits::kJobSourceBytes),
                        "make the files smaller, or several jobs");
  }
  spec::JobText job = submission.job;
  for (const auto& [name, blob] : submission.blobs) {
    absl::StatusOr<std::string> content = store.ReadBlob(owner, blob);
    if (absl::IsNotFound(content.status())) return store::MissingBlob(name, blob);
    ASSIGN_OR_RETURN(job.files[name], std::move(content));
  }
  return job;
}

absl::StatusOr<Submitted> Submit(store::Store& store, const Namespace& owner,
                                 const Submission& submission) {
  if (!submission.client_request_id.empty()) {
    // A retry gets its job even if the devices have gone since.
    ASSIGN_OR_RETURN(const std::optional<JobId> existing,
                     store.FindJobOfRequest(owner, submission.client_request_id));
    if (existing) return Submitted{.job = *existing, .existed = true, .warnings = {}};
  }
  RETURN_IF_ERROR(CheckQuota(store, owner));
  if (submission.priority < -limits::kPriority || submission.priority > limits::kPriority) {
    return InvalidInput(absl::StrCat("priority: ", submission.priority, " is out of range"),
                        absl::StrCat(-limits::kPriority, " to ", limits::kPriority));
  }
  ASSIGN_OR_RETURN(const spec::JobText text, TextOf(store, owner, submission));
  ASSIGN_OR_RETURN(const spec::JobSpec spec, spec::ReadJob(text, spec::SourceCheck::kRequired));
  // What is wrong with a user's kernel is said whatever devices there are.
  if (!spec.workload) RETURN_IF_ERROR(JobPlan::Read(text).status());
  ASSIGN_OR_RETURN(const std::vector<store::DeviceRow> devices, store.Devices());
  ASSIGN_OR_RETURN(const std::vector<work::DeviceInfo> classes,
                   MatchingClasses(spec, devices, store.Now() - kExpectedBack));
  ASSIGN_OR_RETURN(Measuring measuring, ThoseThatMeasure(text, spec, classes));

  store::NewJob job{.client_request_id = submission.client_request_id,
                    .name = spec.name,
                    .file_name = submission.job.file_name,
                    .text = submission.job.text,
                    .files = submission.job.files,
                    .blobs = submission.blobs,
                    .hold_id = submission.hold_id,
                    .priority = submission.priority,
                    .tasks = {}};
  for (const work::DeviceInfo& device : measuring.devices) {
    ASSIGN_OR_RETURN(job.tasks.emplace_back(), TaskFor(store, owner, text, spec, device));
  }
  ASSIGN_OR_RETURN(const auto created, store.CreateJob(owner, job));
  return Submitted{
      .job = created.first, .existed = created.second, .warnings = std::move(measuring.warnings)};
}

}  // namespace burnish::jobs
