#include "server/jobs/waiting.h"

#include <cmath>
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

// Why this device takes nothing of the task now; empty if it can at any moment.
std::string WhyNot(const store::DeviceRow& device, double mean_seconds) {
  if (!device.device.info.unavailable_reason.empty()) {
    return device.device.info.unavailable_reason;
  }
  if (device.standing.standing != store::Standing::kActive) {
    return absl::StrCat("it is ", store::StandingName(device.standing.standing),
                        device.standing.reason.empty() ? "" : ": ", device.standing.reason);
  }
  if (device.leased == 0) return "";
  const double seconds = std::ceil(static_cast<double>(device.leased) * mean_seconds);
  return absl::StrCat("it is busy with other jobs for about ", seconds, " s more");
}

std::string WhyTaskWaits(const store::Task& task, const std::vector<store::DeviceRow>& devices,
                         double mean_seconds) {
  std::string why =
      absl::StrCat("waiting for a device of class ", task.what.device_class, ": none is connected");
  for (const store::DeviceRow& device : devices) {
    if (!Serves(task, device)) continue;
    const std::string reason = WhyNot(device, mean_seconds);
    if (reason.empty()) return "";
    why = absl::StrCat("waiting for ", device.device.id.value(), ": ", reason);
  }
  return why;
}

// Of an attempt of anybody's, lately; a second as long as nothing is known.
absl::StatusOr<double> MeanSeconds(store::Store& store) {
  ASSIGN_OR_RETURN(const std::vector<store::Share> shares, store.Shares());
  double sum = 0;
  int known = 0;
  for (const store::Share& share : shares) {
    if (share.mean_seconds <= 0) continue;
    sum += share.mean_seconds;
    ++known;
  }
  return known > 0 ? sum / known : 1;
}

}  // namespace

absl::StatusOr<std::string> WhyWaiting(store::Store& store, const store::JobWithTasks& job,
                                       const std::vector<store::DeviceRow>& devices) {
  if (job.job.state == store::State::kPaused) {
    return job.job.reason.empty() ? "paused" : absl::StrCat("paused: ", job.job.reason);
  }
  ASSIGN_OR_RETURN(const double mean_seconds, MeanSeconds(store));
  std::string first;
  for (const store::Task& task : job.tasks) {
    if (store::IsFinal(task.state)) continue;
    const std::string why = WhyTaskWaits(task, devices, mean_seconds);
    if (why.empty()) return "";
    if (first.empty()) first = why;
  }
  return first;
}

}  // namespace burnish::jobs
