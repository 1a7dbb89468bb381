#include "server/monitor/store_gauges.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/status_macros.h"

namespace burnish::server {
namespace {

constexpr absl::Duration kReadInterval = absl::Seconds(1);

// The backend of each device, and of each device class.
class BackendTable {
 public:
  explicit BackendTable(const std::vector<store::DeviceRow>& rows) {
    for (const store::DeviceRow& row : rows) {
      const work::DeviceInfo& info = row.device.info;
      by_device_[row.device.id] = info.backend;
      by_class_[info.device_class] = info.backend;
    }
  }
  std::string Of(const store::Task& task) const {
    const auto device = by_device_.find(task.device);
    if (device != by_device_.end()) return device->second;
    const auto of_class = by_class_.find(task.what.device_class);
    return of_class != by_class_.end() ? of_class->second : telemetry::kOther;
  }

 private:
  std::map<DeviceId, std::string> by_device_;
  std::map<std::string, std::string> by_class_;
};

const char* DeviceState(const store::DeviceRow& row) {
  if (!row.live) return "gone";
  return row.device.info.unavailable_reason.empty() ? "available" : "unavailable";
}

}  // namespace

StoreGauges::StoreGauges(store::Store& store, const ServerMetrics& metrics, const Clock& clock,
                         absl::Duration suspect_after)
    : store_(store), metrics_(metrics), clock_(clock), suspect_after_(suspect_after) {}

void StoreGauges::Refresh() {
  const absl::Duration now = clock_.Monotonic();
  if (now < next_read_) return;
  next_read_ = now + kReadInterval;
  Read().IgnoreError();
}

absl::Status StoreGauges::Read() {
  ASSIGN_OR_RETURN(const std::vector<store::DeviceRow> rows, store_.Devices());
  ASSIGN_OR_RETURN(const std::vector<store::JobWithTasks> jobs, store_.ActiveJobs());
  SetFleet(rows);
  SetJobs(jobs);
  return SetWorkItems(jobs, rows);
}

void StoreGauges::SetFleet(const std::vector<store::DeviceRow>& rows) {
  const absl::Time now = store_.Now();
  std::map<std::pair<std::string, std::string>, int> devices;  // by state and backend
  std::map<AgentId, const char*> agents;                       // the state of each
  absl::Duration oldest;
  for (const store::DeviceRow& row : rows) {
    ++devices[{DeviceState(row), row.device.info.backend}];
    const absl::Duration silence = now - row.last_seen;
    const char*& state = agents.emplace(row.device.agent, "gone").first->second;
    if (!row.live) continue;
    state = silence > suspect_after_ ? "suspect" : "live";
    oldest = std::max(oldest, silence);
  }
  for (const char* state : telemetry::kDeviceStates) {
    for (const char* backend : telemetry::kBackends) {
      metrics_.devices.With({state, backend}).Set(devices[{state, backend}]);
    }
  }
  for (const char* state : telemetry::kAgentStates) {
    const auto count = std::count_if(agents.begin(), agents.end(), [&](const auto& agent) {
      return std::string_view(agent.second) == state;
    });
    metrics_.agents.With({state}).Set(static_cast<double>(count));
  }
  metrics_.agent_heartbeat_age.Set(absl::ToDoubleSeconds(oldest));
}

void StoreGauges::SetJobs(const std::vector<store::JobWithTasks>& jobs) {
  for (const char* state : telemetry::kActiveJobStates) {
    const auto count = std::count_if(jobs.begin(), jobs.end(), [&](const auto& entry) {
      return std::string_view(store::StateName(entry.job.state)) == state;
    });
    metrics_.jobs.With({state}).Set(static_cast<double>(count));
  }
}

absl::Status StoreGauges::SetWorkItems(const std::vector<store::JobWithTasks>& jobs,
                                       const std::vector<store::DeviceRow>& rows) {
  ASSIGN_OR_RETURN(const std::vector<store::OpenTask> open, store_.OpenTasks());
  std::map<TaskId, int64_t> queued;
  for (const store::OpenTask& task : open) queued[task.id] = task.queued;
  const BackendTable backends(rows);
  std::map<std::string, Load> loads;
  std::map<TaskId, absl::Time> still_waiting;
  for (const auto& [job, tasks] : jobs) {
    for (const store::Task& task : tasks) {
      if (store::IsFinal(task.state)) continue;
      ASSIGN_OR_RETURN(const int64_t running, store_.RunningItems(job.owner, task.id));
      Load& load = loads[backends.Of(task)];
      load.queued += queued[task.id];
      load.running += running;
      if (queued[task.id] == 0 || running > 0) continue;
      load.longest_wait = std::max(load.longest_wait, WaitOf(job, task));
      still_waiting[task.id] = waiting_since_[task.id];
    }
  }
  waiting_since_ = std::move(still_waiting);
  for (const char* backend : telemetry::kBackends) {
    const Load& load = loads[backend];
    metrics_.work_items.With({"queued", backend}).Set(static_cast<double>(load.queued));
    metrics_.work_items.With({"running", backend}).Set(static_cast<double>(load.running));
    metrics_.queue_oldest_age.With({backend}).Set(absl::ToDoubleSeconds(load.longest_wait));
  }
  return absl::OkStatus();
}

absl::Duration StoreGauges::WaitOf(const store::Job& job, const store::Task& task) {
  const absl::Time now = store_.Now();
  // A task that no device ever served waits since its start; another one since this was seen.
  const absl::Time since = task.device.empty() ? task.started.value_or(job.created) : now;
  return now - waiting_since_.emplace(task.id, since).first->second;
}

}  // namespace burnish::server
