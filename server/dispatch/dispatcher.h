// Hands work items to attached agents and takes their reports.
//
// Knows the agents connected to this server; everything else is in the store. Thread-safe; calls
// out to connections without holding its lock.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/work/task_definition.h"
#include "server/dispatch/grant_plan.h"
#include "server/dispatch/task_definitions.h"
#include "server/store/store.h"

namespace burnish::dispatch {

struct DispatcherOptions {
  absl::Duration heartbeat_interval = absl::Seconds(5);
  absl::Duration lease = absl::Seconds(30);
};

// One attached agent's outgoing stream. Send calls never block and never call the dispatcher back.
// They may come before Attach has returned; the connection keeps them until the welcome is out.
class AgentConnection {
 public:
  virtual ~AgentConnection() = default;
  virtual void SendTask(const TaskHash& hash, const work::TaskDefinition& definition) = 0;
  virtual void SendAssignment(const work::Assignment& assignment) = 0;
  virtual void SendRevoke(const AttemptId& attempt) = 0;
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
  Dispatcher(store::Store& store, DispatcherOptions options);
  ~Dispatcher();

  // InvalidArgument for a hello that no agent should send: a bad agent id, prefetch or device.
  // An older connection of the same agent is closed.
  absl::StatusOr<Welcome> Attach(std::shared_ptr<AgentConnection> connection,
                                 const AgentHello& hello);
  // Renews; leases that the store no longer grants are revoked on the connection. NotFound once a
  // newer session of the agent has replaced this one: the stream should end.
  absl::StatusOr<std::vector<AttemptId>> Heartbeat(const SessionId& session,
                                                   const std::vector<store::HeldAttempt>& holding);
  // NotFound for an attempt that this database never granted to this agent: to be acknowledged all
  // the same, because no later report of it can be taken either.
  absl::StatusOr<work::ReportResult> Report(const SessionId& session, const work::Report& report);
  // The stream broke: its leases stay until they expire or the agent comes back. With `in_order`
  // the agent said goodbye and they are queued again at once.
  void Detach(const SessionId& session, bool in_order);

  // Expires leases and grants queued work to free slots of attached devices.
  absl::Status Advance();

  void CloseAll(const absl::Status& reason);

 private:
  struct Agent;
  using Agents = std::map<SessionId, std::shared_ptr<Agent>>;

  absl::Status RevokeExpired();
  std::vector<FreeDevice> FreeDevices();
  absl::Status Grant(const store::OpenTask& task, const FreeDevice& device, int count)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(advance_mutex_);

  store::Store& store_;
  const DispatcherOptions options_;

  // Both are held across store calls, so that rounds and attachments each go one by one.
  absl::Mutex advance_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);
  TaskDefinitions definitions_ ABSL_GUARDED_BY(advance_mutex_);
  TaskId turn_ ABSL_GUARDED_BY(advance_mutex_);  // came first in the last round that granted
  absl::Mutex attach_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);

  absl::Mutex mutex_;
  Agents agents_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace burnish::dispatch
