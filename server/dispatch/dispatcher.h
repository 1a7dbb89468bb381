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
#include "common/work/task_definition.h"
#include "server/store/store.h"

namespace burnish::dispatch {

struct DispatcherOptions {
  absl::Duration heartbeat_interval = absl::Seconds(5);
  absl::Duration lease = absl::Seconds(30);
};

// One attached agent's outgoing stream. Send calls never block.
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
  int prefetch = 4;  // leases held per device
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

  absl::StatusOr<Welcome> Attach(std::shared_ptr<AgentConnection> connection,
                                 const AgentHello& hello);
  // Renews; leases that the store no longer grants are revoked on the connection.
  absl::StatusOr<std::vector<AttemptId>> Heartbeat(const SessionId& session,
                                                   const std::vector<store::HeldAttempt>& holding);
  absl::StatusOr<work::ReportResult> Report(const SessionId& session, const work::Report& report);
  // The stream broke: its leases stay until they expire or the agent comes back. With `in_order`
  // the agent said goodbye and they are queued again at once.
  void Detach(const SessionId& session, bool in_order);

  // Expires leases and grants queued work to free slots of attached devices.
  absl::Status Advance();

  void CloseAll(const absl::Status& reason);

 private:
  struct Agent;
  store::Store& store_;
  const DispatcherOptions options_;
  absl::Mutex mutex_;
  std::map<SessionId, std::shared_ptr<Agent>> agents_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace burnish::dispatch
