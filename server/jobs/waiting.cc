#include "server/jobs/waiting.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace burnish::jobs {
namespace {

bool Serves(const store::Task& task, const store::DeviceRow& device) {
  if (!device.live || device.device.info.device_class != task.what.device_class) return false;
  const auto selector = expr::Expression::Parse(task.what.selector);
  return selector.ok() && work::SelectorMatches(*selector, device.device.info).value_or(false);
}

// Whether an agent holds work of another job's task for this device.
absl::StatusOr<bool> IsBusy(store::Store& store, JobId except, const DeviceId& device,
                            const std::vector<store::JobWithTasks>& active) {
  for (const store::JobWithTasks& job : active) {
    if (job.job.id == except) continue;
    for (const store::Task& task : job.tasks) {
      if (task.device != device || store::IsFinal(task.state)) continue;
      ASSIGN_OR_RETURN(const int64_t running, store.RunningItems(job.job.owner, task.id));
      if (running > 0) return true;
    }
  }
  return false;
}

absl::StatusOr<std::string> WhyTaskWaits(store::Store& store, const store::Task& task,
                                         const std::vector<store::DeviceRow>& devices,
                                         const std::vector<store::JobWithTasks>& active) {
  std::string why =
      absl::StrCat("waiting for a device of class ", task.what.device_class, ": none is connected");
  for (const store::DeviceRow& device : devices) {
    if (!Serves(task, device)) continue;
    const std::string& id = device.device.id.value();
    if (!device.device.info.unavailable_reason.empty()) {
      why = absl::StrCat("waiting for ", id, ": ", device.device.info.unavailable_reason);
      continue;
    }
    ASSIGN_OR_RETURN(const bool busy, IsBusy(store, task.id.job, device.device.id, active));
    if (!busy) return "";
    why = absl::StrCat("waiting for ", id, ": it is busy with another job");
  }
  return why;
}

}  // namespace

absl::StatusOr<std::string> WhyWaiting(store::Store& store, const store::JobWithTasks& job,
                                       const std::vector<store::DeviceRow>& devices) {
  if (job.job.state == store::State::kPaused) {
    return job.job.reason.empty() ? "paused" : absl::StrCat("paused: ", job.job.reason);
  }
  ASSIGN_OR_RETURN(const std::vector<store::JobWithTasks> active, store.ActiveJobs());
  std::string first;
  for (const store::Task& task : job.tasks) {
    if (store::IsFinal(task.state)) continue;
    ASSIGN_OR_RETURN(const std::string why, WhyTaskWaits(store, task, devices, active));
    if (why.empty()) return "";
    if (first.empty()) first = why;
  }
  return first;
}

}  // namespace burnish::jobs
