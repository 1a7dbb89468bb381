// One agent's stream: hello first, then heartbeats and reports in, assignments out.
//
// A message that no agent should send ends the stream with INVALID_ARGUMENT, naming what was wrong;
// an agent of another protocol version is refused with FAILED_PRECONDITION, naming both.
// Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "burnish/v1/agent_service.pb.h"
#include "common/base/clock.h"
#include "server/dispatch/dispatcher.h"
#include "server/rpc/agent_inbox.h"
#include "server/rpc/queued_stream.h"
#include "server/telemetry/server_metrics.h"

namespace burnish::rpc {

namespace pb = burnish::v1;

// What every agent stream uses; outlives all of them.
struct AgentServiceParts {
  store::Store& store;  // for what agents fetch
  dispatch::Dispatcher& dispatcher;
  AgentInbox& inbox;
  const Clock& clock;
  absl::Duration longest_silence;  // the lease: by then the agent has lost all its work
  std::function<void()> changed;   // called after every change of the store
  server::ServerMetrics metrics = {};
};

class AgentStream final
    : public QueuedStream<grpc::ServerBidiReactor<pb::AgentMessage, pb::ServerMessage>,
                          pb::ServerMessage>,
      public dispatch::AgentConnection,
      public AgentSender {
 public:
  // Makes the stream and starts to read from it.
  static std::shared_ptr<AgentStream> Start(const AgentServiceParts& parts, std::string actor);
  AgentStream(const AgentServiceParts& parts, std::string actor);

  void SendTask(const TaskHash& hash, const work::TaskDefinition& definition) override;
  void SendAssignment(const work::Assignment& assignment) override;
  void SendRevoke(const AttemptId& attempt) override;
  void SendCanaryRequest(const DeviceId& device) override;
  void Close(const absl::Status& reason) override { Abort(reason); }
  void Expel(const absl::Status& reason) override;

  void OnStored(const work::Report& report,
                const absl::StatusOr<work::ReportResult>& result) override;
  void OnRenewed(int64_t sequence, const absl::StatusOr<std::vector<AttemptId>>& renewed) override;
  bool gone() const override { return ended(); }

  // Ends the stream if nothing was heard from the agent for too long.
  void CloseIfSilent();

 private:
  void OnReadDone(bool ok) override;
  void OnEnded(bool cancelled) override;

  absl::Status Handle(const pb::AgentMessage& message);
  absl::Status HandleHello(const pb::Hello& hello);
  absl::Status HandleHeartbeat(const SessionId& session, const pb::Heartbeat& heartbeat);
  absl::Status HandleReport(const SessionId& session, const pb::ReportMessage& report);
  absl::Status HandleCanary(const SessionId& session, const pb::CanaryReport& canary);
  absl::Status HandleRoofs(const SessionId& session, const pb::RoofsReport& roofs);

  // Reads on, unless too many of the reports that were read wait for their answer.
  void ReadOn();
  void Answered();

  // Ends the stream over something that no agent should send, or that its session may not.
  void Refuse(const absl::Status& status);
  void CountReport(const work::Report& report, work::ReportResult result);

  SessionId session() const;
  void Welcome(const dispatch::Welcome& welcome);
  // The welcome is the first message; what the dispatcher sends before it waits here.
  void SendAfterWelcome(pb::ServerMessage message);
  void Detach(bool in_order);

  const AgentServiceParts& parts_;
  const std::string actor_;  // whose token it is, for the log
  std::weak_ptr<AgentStream> self_;
  pb::AgentMessage incoming_;  // being read
  mutable absl::Mutex mutex_;
  SessionId session_ ABSL_GUARDED_BY(mutex_);  // empty before the welcome
  std::vector<pb::ServerMessage> early_ ABSL_GUARDED_BY(mutex_);
  absl::Duration last_heard_ ABSL_GUARDED_BY(mutex_);  // monotonic
  int unanswered_ ABSL_GUARDED_BY(mutex_) = 0;         // reports
  bool reading_waits_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<DeviceId, std::string> backends_ ABSL_GUARDED_BY(mutex_);  // of the agent's devices
  std::map<AttemptId, DeviceId> sent_ ABSL_GUARDED_BY(mutex_);  // neither reported nor revoked
  bool said_goodbye_ ABSL_GUARDED_BY(mutex_) = false;
  bool detached_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace burnish::rpc
