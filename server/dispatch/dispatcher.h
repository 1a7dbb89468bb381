// Hands work items to attached agents and takes their reports.
//
// Knows the agents connected to this server; everything else is in the store. Thread-safe; calls
// out to connections without holding its lock.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/telemetry/metrics.h"
#include "common/work/task_definition.h"
#include "server/dispatch/grant_plan.h"
#include "server/dispatch/task_definitions.h"
#include "server/store/store.h"

namespace burnish::dispatch {

struct DispatcherOptions {
  absl::Duration heartbeat_interval = absl::Seconds(5);
  absl::Duration lease = absl::Seconds(30);
  // How often leases are looked through for those that have expired, and those of cancelled jobs:
  // they end within this and the time between rounds.
  absl::Duration revoke_interval = absl::Milliseconds(250);
  // How often a device in quarantine is asked for a canary.
  absl::Duration canary_interval = absl::Seconds(30);
};

struct DispatchMetrics {
  telemetry::Histogram latency;  // from an item being queued, with a slot free for it, to its lease
  telemetry::Counter lease_expired;
};

// One attached agent's outgoing stream. Send calls never block and never call the dispatcher back.
// They may come before Attach has returned; the connection keeps them until the welcome is out.
class AgentConnection {
 public:
  virtual ~AgentConnection() = default;
  virtual void SendTask(const TaskHash& hash, const work::TaskDefinition& definition) = 0;
  virtual void SendAssignment(const work::Assignment& assignment) = 0;
  virtual void SendRevoke(const AttemptId& attempt) = 0;
  virtual void SendCanaryRequest(const DeviceId& device) = 0;
  // Ends the stream: a newer session of the agent took over, or the server stops.
  virtual void Close(const absl::Status& reason) = 0;
};

struct AgentHello {
  AgentId agent;
  std::vector<work::DeviceInfo> devices;
  std::vector<store::HeldAttempt> holding;
  int prefetch = 4;  // leases held per device; 1 to limits::kLeasesPerDevice
};

struct Welcome {
  SessionId session;
  std::vector<store::HeldAttempt> keep;
  absl::Duration heartbeat_interval;
  absl::Duration lease;
};

class Dispatcher {
 public:
  Dispatcher(store::Store& store, DispatcherOptions options, const DispatchMetrics& metrics = {});
  ~Dispatcher();

  // InvalidArgument for a hello that no agent should send: a bad agent id, prefetch or device.
  // An older connection of the same agent is closed.
  absl::StatusOr<Welcome> Attach(std::shared_ptr<AgentConnection> connection,
                                 const AgentHello& hello);
  // Renews the sessions of many agents in one transaction; leases that the store no longer grants
  // are revoked on their connections. For each element the attempts renewed, Aborted once a
  // newer session of the agent has replaced it, or NotFound if it is not attached here: its stream
  // should end.
  absl::StatusOr<std::vector<absl::StatusOr<std::vector<AttemptId>>>> Heartbeats(
      const std::vector<store::SessionRenewal>& heartbeats);
  // Stores reports in one transaction. For an element NotFound for an attempt that this database
  // never granted to this agent: to be acknowledged all the same, because no later report of it can
  // be taken either.
  absl::StatusOr<std::vector<absl::StatusOr<work::ReportResult>>> Reports(
      const std::vector<store::SessionReport>& reports);
  // The control kernel's result on a device of the session. Errors as Store::RecordCanary.
  absl::Status Canary(const SessionId& session, const DeviceId& device,
                      const work::Measurement& measurement);
  // What a device of the session can do at most. Errors as Store::RecordRoofs.
  absl::Status Roofs(const SessionId& session, const DeviceId& device, const work::Roofs& roofs);
  // The stream broke: its leases stay until they expire or the agent comes back. With `in_order`
  // the agent said goodbye and they are queued again at once.
  void Detach(const SessionId& session, bool in_order);

  // Expires and revokes leases, and grants queued work to free slots of attached devices.
  absl::Status Advance();

  void CloseAll(const absl::Status& reason);

 private:
  struct Agent;
  using Agents = std::map<SessionId, std::shared_ptr<Agent>>;

  absl::Status RevokeExpired();
  // Of jobs that were cancelled, on any server.
  absl::Status RevokeLost();
  void Revoke(const std::set<AttemptId>& attempts);
  std::vector<FreeDevice> FreeDevices(const std::vector<store::DeviceStanding>& standings);
  void AskForCanaries(const std::vector<store::DeviceStanding>& standings)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(advance_mutex_);
  std::vector<absl::Duration> Waited(const std::vector<store::OpenTask>& tasks)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(advance_mutex_);
  // Claims what was planned and sends it out.
  absl::Status Grant(const PlanInput& input, std::vector<PlannedGrant> planned)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(advance_mutex_);
  void Send(const store::OpenTask& task, const SessionId& session,
            const std::vector<store::Grant>& grants) ABSL_EXCLUSIVE_LOCKS_REQUIRED(advance_mutex_);

  store::Store& store_;
  const DispatcherOptions options_;
  const DispatchMetrics metrics_;

  // Both are held across store calls, so that rounds and attachments each go one by one.
  absl::Mutex advance_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);
  TaskDefinitions definitions_ ABSL_GUARDED_BY(advance_mutex_);
  TaskId turn_ ABSL_GUARDED_BY(advance_mutex_);  // came first in the last round that granted
  absl::Time revoked_ ABSL_GUARDED_BY(advance_mutex_) = absl::InfinitePast();
  // Since when each open task was granted nothing, as far as this server has seen.
  std::map<TaskId, absl::Time> waiting_since_ ABSL_GUARDED_BY(advance_mutex_);
  std::map<DeviceId, absl::Time> canary_asked_ ABSL_GUARDED_BY(advance_mutex_);
  absl::Mutex attach_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);

  absl::Mutex mutex_;
  Agents agents_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace burnish::dispatch
