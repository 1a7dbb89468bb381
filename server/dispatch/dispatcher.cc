#include "server/dispatch/dispatcher.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"

namespace burnish::dispatch {

struct Dispatcher::Agent {
  AgentId id;
  std::shared_ptr<AgentConnection> connection;
  int prefetch = 0;
  absl::Time live_until;  // a silent agent gets nothing until it is heard of again
  std::vector<work::AttachedDevice> devices;
  std::map<AttemptId, DeviceId> holding;  // granted, and neither reported nor lost
  std::set<TaskHash> tasks_sent;
};

namespace {

bool IsAgentId(const std::string& text) {
  const auto allowed = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= limits::kAgentIdBytes &&
         std::all_of(text.begin(), text.end(), allowed);
}

absl::Status CheckDevices(const AgentHello& hello) {
  if (hello.devices.size() > limits::kDevicesPerAgent) {
    return InvalidInput(absl::StrCat("an agent has at most ", limits::kDevicesPerAgent,
                                     " devices, not ", hello.devices.size()));
  }
  std::set<DeviceId> ids;
  for (const work::DeviceInfo& info : hello.devices) {
    if (!IsAgentId(info.backend) || info.index < 0) {
      return InvalidInput("a device needs the name of its backend and an index from 0");
    }
    const DeviceId id = store::DeviceIdOf(hello.agent, info);
    if (!ids.insert(id).second) {
      return InvalidInput(absl::StrCat("device ", id.value(), " is listed twice"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckHello(const AgentHello& hello) {
  if (!IsAgentId(hello.agent.value())) {
    return InvalidInput("bad agent id",
                        absl::StrCat("1 to ", limits::kAgentIdBytes,
                                     " letters, digits, dots, underscores and hyphens"));
  }
  if (hello.prefetch < 1 || hello.prefetch > limits::kLeasesPerDevice) {
    return InvalidInput(
        absl::StrCat("prefetch must be 1 to ", limits::kLeasesPerDevice, ", not ", hello.prefetch));
  }
  return CheckDevices(hello);
}

}  // namespace

Dispatcher::Dispatcher(store::Store& store, DispatcherOptions options)
    : store_(store), options_(options), definitions_(store) {}

Dispatcher::~Dispatcher() = default;

absl::StatusOr<Welcome> Dispatcher::Attach(std::shared_ptr<AgentConnection> connection,
                                           const AgentHello& hello) {
  RETURN_IF_ERROR(CheckHello(hello));
  auto agent = std::make_shared<Agent>();
  agent->id = hello.agent;
  agent->connection = std::move(connection);
  agent->prefetch = hello.prefetch;
  for (const work::DeviceInfo& info : hello.devices) {
    agent->devices.push_back({store::DeviceIdOf(hello.agent, info), hello.agent, info});
  }
  Welcome welcome{.session = {},
                  .keep = {},
                  .heartbeat_interval = options_.heartbeat_interval,
                  .lease = options_.lease};
  std::vector<std::shared_ptr<AgentConnection>> replaced;
  {
    const absl::MutexLock in_order(&attach_mutex_);
    ASSIGN_OR_RETURN(store::Store::OpenedSession opened,
                     store_.OpenSession(hello.agent, hello.devices, hello.holding, options_.lease));
    welcome.session = opened.session;
    agent->live_until = store_.Now() + options_.lease;
    for (store::KeptLease& kept : opened.kept) {
      agent->holding.emplace(kept.held.attempt, std::move(kept.device));
      welcome.keep.push_back(std::move(kept.held));
    }
    const absl::MutexLock lock(&mutex_);
    std::erase_if(agents_, [&](const Agents::value_type& entry) {
      if (entry.second->id != hello.agent) return false;
      replaced.push_back(entry.second->connection);
      return true;
    });
    agents_.emplace(opened.session, std::move(agent));
  }
  for (const auto& older : replaced) {
    older->Close(absl::AbortedError(absl::StrCat("agent ", hello.agent.value(),
                                                 " attached again; its newer session took over")));
  }
  return welcome;
}

absl::StatusOr<std::vector<AttemptId>> Dispatcher::Heartbeat(
    const SessionId& session, const std::vector<store::HeldAttempt>& holding) {
  ASSIGN_OR_RETURN(std::vector<AttemptId> renewed,
                   store_.RenewSession(session, holding, options_.lease));
  const std::set<AttemptId> still_held(renewed.begin(), renewed.end());
  std::vector<AttemptId> revoked;
  std::shared_ptr<AgentConnection> connection;
  {
    const absl::MutexLock lock(&mutex_);
    const auto found = agents_.find(session);
    if (found == agents_.end()) {
      return absl::NotFoundError(
          absl::StrCat("session ", session.value(), " is not attached to this server"));
    }
    connection = found->second->connection;
    found->second->live_until = store_.Now() + options_.lease;
    for (const store::HeldAttempt& held : holding) {
      if (still_held.contains(held.attempt)) continue;
      found->second->holding.erase(held.attempt);
      revoked.push_back(held.attempt);
    }
  }
  for (const AttemptId& attempt : revoked) connection->SendRevoke(attempt);
  return renewed;
}

absl::StatusOr<work::ReportResult> Dispatcher::Report(const SessionId& session,
                                                      const work::Report& report) {
  ASSIGN_OR_RETURN(const work::ReportResult result, store_.StoreReport(session, report));
  const absl::MutexLock lock(&mutex_);
  const auto found = agents_.find(session);
  if (found != agents_.end()) found->second->holding.erase(report.attempt);
  return result;
}

void Dispatcher::Detach(const SessionId& session, bool in_order) {
  {
    const absl::MutexLock lock(&mutex_);
    agents_.erase(session);
  }
  if (!in_order) return;
  const absl::Status closed = store_.CloseSession(session);
  if (!closed.ok()) {
    // The leases then end by themselves.
    Log(LogLevel::kWarning, "session.close_failed",
        {{"session", session.value()}, {"error", closed.ToString()}});
  }
}

absl::Status Dispatcher::Advance() {
  const absl::MutexLock one_round(&advance_mutex_);
  RETURN_IF_ERROR(RevokeExpired());
  const std::vector<FreeDevice> devices = FreeDevices();
  if (devices.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::vector<store::OpenTask> tasks, store_.OpenTasks());
  const auto next = std::find_if(tasks.begin(), tasks.end(),
                                 [this](const store::OpenTask& task) { return task.id > turn_; });
  std::rotate(tasks.begin(), next, tasks.end());
  const auto can_serve = [this](const work::DeviceInfo& device, const store::OpenTask& task) {
    const auto definition = definitions_.Find(task);
    return definition != nullptr && CanServe(device, task, *definition);
  };
  const std::vector<PlannedGrant> grants = PlanGrants(tasks, devices, can_serve);
  if (!grants.empty()) turn_ = tasks[grants.front().task].id;
  for (const PlannedGrant& grant : grants) {
    RETURN_IF_ERROR(Grant(tasks[grant.task], devices[grant.device], grant.count));
  }
  return absl::OkStatus();
}

absl::Status Dispatcher::RevokeExpired() {
  ASSIGN_OR_RETURN(const std::vector<store::ExpiredLease> expired, store_.ExpireLeases());
  std::vector<std::pair<std::shared_ptr<AgentConnection>, AttemptId>> revoked;
  {
    const absl::MutexLock lock(&mutex_);
    for (const store::ExpiredLease& lease : expired) {
      for (const auto& [session, agent] : agents_) {
        if (agent->holding.erase(lease.attempt) == 0) continue;
        revoked.emplace_back(agent->connection, lease.attempt);
      }
    }
  }
  for (const auto& [connection, attempt] : revoked) connection->SendRevoke(attempt);
  return absl::OkStatus();
}

std::vector<FreeDevice> Dispatcher::FreeDevices() {
  std::vector<FreeDevice> devices;
  const absl::Time now = store_.Now();
  const absl::MutexLock lock(&mutex_);
  for (const auto& [session, agent] : agents_) {
    if (agent->live_until <= now) continue;
    std::map<DeviceId, int> held;
    for (const auto& [attempt, device] : agent->holding) ++held[device];
    for (const work::AttachedDevice& device : agent->devices) {
      const int free_slots = agent->prefetch - held[device.id];
      if (free_slots > 0 && device.info.unavailable_reason.empty()) {
        devices.push_back({session, device, free_slots});
      }
    }
  }
  return devices;
}

absl::Status Dispatcher::Grant(const store::OpenTask& task, const FreeDevice& device, int count) {
  const auto definition = definitions_.Find(task);
  if (definition == nullptr) return absl::OkStatus();
  absl::StatusOr<std::vector<work::Assignment>> claimed =
      store_.Claim(device.session, device.device.id, task.id, count, options_.lease);
  if (absl::IsNotFound(claimed.status()) || absl::IsFailedPrecondition(claimed.status())) {
    return absl::OkStatus();  // the agent attached anew in the meantime
  }
  RETURN_IF_ERROR(claimed.status());
  if (claimed->empty()) return absl::OkStatus();
  std::shared_ptr<AgentConnection> connection;
  bool first_of_task = false;
  {
    const absl::MutexLock lock(&mutex_);
    const auto found = agents_.find(device.session);
    // Detached since: the leases end by themselves, or with its next session.
    if (found == agents_.end()) return absl::OkStatus();
    Agent& agent = *found->second;
    connection = agent.connection;
    first_of_task = agent.tasks_sent.insert(task.hash).second;
    for (const work::Assignment& assignment : *claimed) {
      agent.holding.emplace(assignment.attempt, assignment.device);
    }
  }
  if (first_of_task) connection->SendTask(task.hash, *definition);
  for (const work::Assignment& assignment : *claimed) connection->SendAssignment(assignment);
  return absl::OkStatus();
}

void Dispatcher::CloseAll(const absl::Status& reason) {
  Agents agents;
  {
    const absl::MutexLock lock(&mutex_);
    agents.swap(agents_);
  }
  for (const auto& [session, agent] : agents) agent->connection->Close(reason);
}

}  // namespace burnish::dispatch
