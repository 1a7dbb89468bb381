#include "server/jobs/control.h"

#include <functional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/status_macros.h"
#include "server/jobs/job_machine.h"

namespace burnish::jobs {
namespace {

constexpr char kOnRequest[] = "on request";

absl::Status Refuse(const store::Job& job, std::string_view verb, std::string hint) {
  return DiagnosticStatus(
      absl::StatusCode::kFailedPrecondition,
      {.file = "",
       .path = "",
       .message = absl::StrCat("cannot ", std::string(verb), " ", ToText(job.id), ": it is ",
                               store::StateName(job.state)),
       .hint = std::move(hint),
       .excerpt = ""});
}

absl::Status PauseWhere(store::Store& store, const std::function<bool(const store::Job&)>& chosen,
                        const std::string& reason) {
  ASSIGN_OR_RETURN(const std::vector<store::JobWithTasks> active, store.ActiveJobs());
  for (const store::JobWithTasks& entry : active) {
    const store::Job& job = entry.job;
    if (!NextState(job.state, JobEvent::kPause) || !chosen(job)) continue;
    const absl::Status status = store.MoveJob(job.owner, job.id, StatesBefore(JobEvent::kPause),
                                              StateAfter(JobEvent::kPause), reason);
    // It may have ended meanwhile.
    if (!status.ok() && !absl::IsFailedPrecondition(status)) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Cancel(store::Store& store, const Namespace& owner, JobId id) {
  ASSIGN_OR_RETURN(const store::JobWithTasks found, store.GetJob(owner, id));
  if (store::IsFinal(found.job.state) && found.job.state != store::State::kCancelled) {
    return Refuse(found.job, "cancel", "its results stay as they are");
  }
  return store.CancelJob(owner, id, kOnRequest);
}

absl::Status Pause(store::Store& store, const Namespace& owner, JobId id) {
  ASSIGN_OR_RETURN(const store::JobWithTasks found, store.GetJob(owner, id));
  if (found.job.state == store::State::kPaused) return absl::OkStatus();
  if (!NextState(found.job.state, JobEvent::kPause)) return Refuse(found.job, "pause", "");
  return store.MoveJob(owner, id, StatesBefore(JobEvent::kPause), StateAfter(JobEvent::kPause),
                       kOnRequest);
}

absl::Status Finish(store::Store& store, const Namespace& owner, JobId id) {
  ASSIGN_OR_RETURN(const store::JobWithTasks found, store.GetJob(owner, id));
  if (found.job.state == store::State::kPaused) {
    return Refuse(found.job, "finish", "resume it first");
  }
  if (store::IsFinal(found.job.state)) return Refuse(found.job, "finish", "");
  return store.RequestFinish(owner, id);
}

absl::Status Resume(store::Store& store, const Namespace& owner, JobId id,
                    const std::string& hold_id) {
  ASSIGN_OR_RETURN(const store::JobWithTasks found, store.GetJob(owner, id));
  if (!NextState(found.job.state, JobEvent::kResume)) {
    if (!store::IsFinal(found.job.state) && found.job.hold_id == hold_id) return absl::OkStatus();
    return Refuse(found.job, "resume", "only a paused job can be resumed");
  }
  // The hold first: a job that runs always has a client whose end pauses it.
  RETURN_IF_ERROR(store.SetHold(owner, id, hold_id));
  return store.MoveJob(owner, id, StatesBefore(JobEvent::kResume), StateAfter(JobEvent::kResume),
                       "");
}

absl::Status PauseJobsOfHold(store::Store& store, const std::string& hold_id,
                             const std::string& reason) {
  return PauseWhere(
      store, [&](const store::Job& job) { return job.hold_id == hold_id; }, reason);
}

absl::Status PauseAllActive(store::Store& store, const std::string& reason) {
  return PauseWhere(
      store, [](const store::Job&) { return true; }, reason);
}

}  // namespace burnish::jobs
