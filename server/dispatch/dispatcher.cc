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
  struct Lease {
    store::HeldAttempt held;
    DeviceId device;
  };
  std::map<AttemptId, Lease> holding;         // granted, and neither reported nor lost
  std::map<DeviceId, absl::Time> free_since;  // when the device last had no slot free
  std::set<TaskHash> tasks_sent;

  // Whether the agent held it.
  bool Drop(const AttemptId& attempt, absl::Time now) {
    const auto found = holding.find(attempt);
    if (found == holding.end()) return false;
    const DeviceId device = found->second.device;
    const auto held = std::ranges::count_if(
        holding, [&](const auto& entry) { return entry.second.device == device; });
    if (held >= prefetch) free_since[device] = now;
    holding.erase(found);
    return true;
  }
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

Dispatcher::Dispatcher(store::Store& store, DispatcherOptions options,
                       const DispatchMetrics& metrics)
    : store_(store), options_(options), metrics_(metrics), definitions_(store) {}

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
    const absl::Time now = store_.Now();
    agent->live_until = now + options_.lease;
    for (const work::AttachedDevice& device : agent->devices) agent->free_since[device.id] = now;
    for (store::KeptLease& kept : opened.kept) {
      welcome.keep.push_back(kept.held);
      agent->holding.emplace(kept.held.attempt, Agent::Lease{kept.held, std::move(kept.device)});
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

absl::StatusOr<std::vector<absl::StatusOr<std::vector<AttemptId>>>> Dispatcher::Heartbeats(
    const std::vector<store::SessionRenewal>& heartbeats) {
  ASSIGN_OR_RETURN(auto results, store_.RenewSessions(heartbeats, options_.lease));
  std::vector<std::pair<std::shared_ptr<AgentConnection>, AttemptId>> revoked;
  {
    const absl::MutexLock lock(&mutex_);
    for (size_t i = 0; i < heartbeats.size(); ++i) {
      if (!results[i].ok()) continue;
      const auto found = agents_.find(heartbeats[i].session);
      if (found == agents_.end()) {
        results[i] = absl::NotFoundError(absl::StrCat("session ", heartbeats[i].session.value(),
                                                      " is not attached to this server"));
        continue;
      }
      Agent& agent = *found->second;
      agent.live_until = store_.Now() + options_.lease;
      const std::set<AttemptId> renewed(results[i]->begin(), results[i]->end());
      for (const store::HeldAttempt& held : heartbeats[i].holding) {
        if (renewed.contains(held.attempt)) continue;
        agent.Drop(held.attempt, store_.Now());
        revoked.emplace_back(agent.connection, held.attempt);
      }
    }
  }
  for (const auto& [connection, attempt] : revoked) connection->SendRevoke(attempt);
  return results;
}

absl::StatusOr<std::vector<absl::StatusOr<work::ReportResult>>> Dispatcher::Reports(
    const std::vector<store::SessionReport>& reports) {
  ASSIGN_OR_RETURN(auto results, store_.StoreReports(reports));
  const absl::Time now = store_.Now();
  const absl::MutexLock lock(&mutex_);
  for (const store::SessionReport& one : reports) {
    const auto found = agents_.find(one.session);
    if (found != agents_.end()) found->second->Drop(one.report.attempt, now);
  }
  return results;
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
  const absl::Time now = store_.Now();
  if (now - revoked_ >= options_.revoke_interval) {
    RETURN_IF_ERROR(RevokeExpired());
    RETURN_IF_ERROR(RevokeLost());
    revoked_ = now;
  }
  ASSIGN_OR_RETURN(const std::vector<store::DeviceStanding> standings, store_.Standings());
  AskForCanaries(standings);
  PlanInput input;
  input.devices = FreeDevices(standings);
  if (input.devices.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(input.tasks, store_.OpenTasks());
  if (input.tasks.empty()) return absl::OkStatus();
  const bool one_team = std::ranges::all_of(input.tasks, [&](const store::OpenTask& task) {
    return task.owner == input.tasks.front().owner;
  });
  if (!one_team) {
    ASSIGN_OR_RETURN(input.shares, store_.Shares());
  }
  const auto next = std::find_if(input.tasks.begin(), input.tasks.end(),
                                 [this](const store::OpenTask& task) { return task.id > turn_; });
  std::rotate(input.tasks.begin(), next, input.tasks.end());
  input.waited = Waited(input.tasks);
  const auto can_serve = [this](const work::DeviceInfo& device, const store::OpenTask& task) {
    const auto definition = definitions_.Find(task);
    return definition != nullptr && CanServe(device, task, *definition);
  };
  const std::vector<PlannedGrant> grants = PlanGrants(input, can_serve);
  if (grants.empty()) return absl::OkStatus();
  turn_ = input.tasks[grants.front().task].id;
  for (const PlannedGrant& grant : grants) {
    waiting_since_[input.tasks[grant.task].id] = store_.Now();
  }
  return Grant(input, grants);
}

std::vector<absl::Duration> Dispatcher::Waited(const std::vector<store::OpenTask>& tasks) {
  const absl::Time now = store_.Now();
  std::map<TaskId, absl::Time> since;
  std::vector<absl::Duration> waited;
  for (const store::OpenTask& task : tasks) {
    const auto known = waiting_since_.find(task.id);
    const absl::Time start = known == waiting_since_.end() ? now : known->second;
    since.emplace(task.id, start);
    waited.push_back(now - start);
  }
  waiting_since_ = std::move(since);  // forgets those that want nothing
  return waited;
}

void Dispatcher::AskForCanaries(const std::vector<store::DeviceStanding>& standings) {
  const absl::Time now = store_.Now();
  std::map<DeviceId, absl::Time> asked;
  for (const store::DeviceStanding& one : standings) {
    if (one.standing != store::Standing::kQuarantined || !one.by.empty()) continue;
    const auto last = canary_asked_.find(one.device);
    if (last != canary_asked_.end() && now - last->second < options_.canary_interval) {
      asked.insert(*last);
      continue;
    }
    asked.emplace(one.device, now);
    std::shared_ptr<AgentConnection> connection;
    {
      const absl::MutexLock lock(&mutex_);
      for (const auto& [session, agent] : agents_) {
        const bool owns = std::any_of(
            agent->devices.begin(), agent->devices.end(),
            [&](const work::AttachedDevice& device) { return device.id == one.device; });
        if (owns) connection = agent->connection;
      }
    }
    if (connection != nullptr) connection->SendCanaryRequest(one.device);
  }
  canary_asked_ = std::move(asked);
}

absl::Status Dispatcher::Canary(const SessionId& session, const DeviceId& device,
                                const work::Measurement& measurement) {
  if (measurement.outcome != work::Outcome::kOk) {
    Log(LogLevel::kWarning, "canary_failed",
        {{"device_id", device.value()},
         {"outcome", work::OutcomeName(measurement.outcome)},
         {"message", measurement.message}});
  }
  return store_.RecordCanary(session, device, measurement);
}

absl::Status Dispatcher::Roofs(const SessionId& session, const DeviceId& device,
                               const work::Roofs& roofs) {
  return store_.RecordRoofs(session, device, roofs);
}

absl::Status Dispatcher::RevokeExpired() {
  ASSIGN_OR_RETURN(const std::vector<store::ExpiredLease> expired, store_.ExpireLeases());
  std::set<AttemptId> attempts;
  for (const store::ExpiredLease& lease : expired) attempts.insert(lease.attempt);
  metrics_.lease_expired.Add(static_cast<double>(expired.size()));
  Revoke(attempts);
  return absl::OkStatus();
}

absl::Status Dispatcher::RevokeLost() {
  std::vector<store::HeldAttempt> held;
  {
    const absl::MutexLock lock(&mutex_);
    for (const auto& [session, agent] : agents_) {
      for (const auto& [attempt, lease] : agent->holding) held.push_back(lease.held);
    }
  }
  if (held.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<AttemptId> lost, store_.LostAttempts(held));
  Revoke({lost.begin(), lost.end()});
  return absl::OkStatus();
}

void Dispatcher::Revoke(const std::set<AttemptId>& attempts) {
  if (attempts.empty()) return;
  const absl::Time now = store_.Now();
  std::vector<std::pair<std::shared_ptr<AgentConnection>, AttemptId>> revoked;
  {
    const absl::MutexLock lock(&mutex_);
    for (const auto& [session, agent] : agents_) {
      for (const AttemptId& attempt : attempts) {
        if (agent->Drop(attempt, now)) revoked.emplace_back(agent->connection, attempt);
      }
    }
  }
  for (const auto& [connection, attempt] : revoked) connection->SendRevoke(attempt);
}

std::vector<FreeDevice> Dispatcher::FreeDevices(
    const std::vector<store::DeviceStanding>& standings) {
  std::vector<FreeDevice> devices;
  std::set<DeviceId> out_of_pool;
  for (const store::DeviceStanding& one : standings) out_of_pool.insert(one.device);
  const absl::Time now = store_.Now();
  const absl::MutexLock lock(&mutex_);
  for (const auto& [session, agent] : agents_) {
    if (agent->live_until <= now) continue;
    std::map<DeviceId, int> held;
    for (const auto& [attempt, lease] : agent->holding) ++held[lease.device];
    for (const work::AttachedDevice& device : agent->devices) {
      const int free_slots = agent->prefetch - held[device.id];
      if (free_slots > 0 && device.info.unavailable_reason.empty() &&
          !out_of_pool.contains(device.id)) {
        devices.push_back({session, device, free_slots});
      }
    }
  }
  return devices;
}

absl::Status Dispatcher::Grant(const PlanInput& input, std::vector<PlannedGrant> planned) {
  // One claim takes a task once; a task that spills over to more devices needs one more each.
  while (!planned.empty()) {
    std::set<size_t> tasks;
    const auto later = std::stable_partition(
        planned.begin(), planned.end(),
        [&](const PlannedGrant& grant) { return tasks.insert(grant.task).second; });
    std::vector<store::ClaimRequest> requests;
    for (auto grant = planned.begin(); grant != later; ++grant) {
      const FreeDevice& device = input.devices[grant->device];
      requests.push_back(
          {device.session, device.device.id, input.tasks[grant->task].id, grant->count});
    }
    ASSIGN_OR_RETURN(const auto claimed, store_.Claim(requests, options_.lease));
    for (size_t i = 0; i < requests.size(); ++i) {
      // Not if the agent attached anew in the meantime, or the task is gone.
      if (claimed[i].ok() && !claimed[i]->empty()) {
        Send(input.tasks[planned[i].task], requests[i].session, *claimed[i]);
      }
    }
    planned.erase(planned.begin(), later);
  }
  return absl::OkStatus();
}

void Dispatcher::Send(const store::OpenTask& task, const SessionId& session,
                      const std::vector<store::Grant>& grants) {
  const auto definition = definitions_.Find(task);
  if (definition == nullptr) return;  // the leases end by themselves
  std::shared_ptr<AgentConnection> connection;
  bool first_of_task = false;
  {
    const absl::MutexLock lock(&mutex_);
    const auto found = agents_.find(session);
    // Detached since: the leases end by themselves, or with its next session.
    if (found == agents_.end()) return;
    Agent& agent = *found->second;
    connection = agent.connection;
    first_of_task = agent.tasks_sent.insert(task.hash).second;
    const absl::Time now = store_.Now();
    for (const auto& [assignment, queued] : grants) {
      metrics_.latency.Observe(now - std::max(queued, agent.free_since[assignment.device]));
      agent.holding.emplace(
          assignment.attempt,
          Agent::Lease{{assignment.attempt, assignment.work_item, assignment.fence},
                       assignment.device});
    }
  }
  if (first_of_task) connection->SendTask(task.hash, *definition);
  for (const auto& [assignment, queued] : grants) connection->SendAssignment(assignment);
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
