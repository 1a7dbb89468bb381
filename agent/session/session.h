// The agent's attachment to the server: dials, says what it has and holds, renews leases with
// heartbeats, passes assignments to the executor and reports back. A broken stream stops no work:
// the session dials again for ever, and what finished meanwhile, or in an earlier life of the
// agent, is sent then. The hello lists those attempts too: their leases are kept, and nobody
// measures them again.
//
// While the outbox refuses new work the agent is attached with its devices unavailable, so that
// nothing is granted to it; leases that it holds go on. To change between the two it attaches
// anew; an assignment that is under way just then is queued again.
//
// It also has the control kernel, and what the devices can do at most, measured when that is due,
// attached or not, and sends the results.
//
// Content that a task names by its hash is fetched beside the stream; the task's assignments wait
// for it.
//
// Run() is the one thread of it, beside the loader's; the executor's sink feeds the outbox from
// others.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/executor/executor.h"
#include "agent/session/agent_stream.h"
#include "agent/session/control_watch.h"
#include "agent/session/report_outbox.h"
#include "agent/session/roofs_watch.h"
#include "agent/session/task_loader.h"
#include "agent/session/wakeup.h"
#include "burnish/v1/agent_service.grpc.pb.h"
#include "common/base/ids.h"
#include "common/net/retry.h"
#include "common/telemetry/metrics.h"
#include "common/work/device.h"
#include "grpcpp/channel.h"

namespace burnish::agent {

struct SessionOptions {
  AgentId agent;
  std::string version;
  std::vector<work::DeviceInfo> devices;
  int prefetch = 4;  // leases held per device
  std::string blob_folder;
  // Asked before every dial, so that a new token needs no restart; absent: none is needed.
  std::function<absl::StatusOr<std::string>()> token;
  net::BackoffOptions backoff;
  absl::Duration welcome_timeout = absl::Seconds(15);
  // How long the server may take to end the stream after the goodbye.
  absl::Duration farewell = absl::Milliseconds(1500);
  absl::Duration fetch_timeout = absl::Seconds(30);  // of one chunk
  absl::Duration unreachable_log_interval = absl::Seconds(30);
  telemetry::Gauge connected;  // 1 from the welcome to the end of the stream
};

class Session {
 public:
  // All references outlive the session.
  Session(SessionOptions options, const std::shared_ptr<grpc::Channel>& channel, Executor& executor,
          ReportOutbox& outbox, ControlWatch& control, RoofsWatch& roofs, Wakeup& wakeup,
          const Clock& clock);

  // Until `stop`: then drops all work, says goodbye and returns OK. Aborted if another agent with
  // the same id attached; FailedPrecondition, saying what to do, if the server speaks another
  // protocol.
  absl::Status Run(const std::stop_token& stop);

 private:
  // What is known of the present stream.
  struct Attachment;

  // Serves one stream to its end.
  absl::Status Serve(Attachment& attachment, const std::stop_token& stop);
  v1::AgentMessage Hello(const std::string& refusal) const;
  std::vector<HeldAttempt> Holding() const;
  absl::Status Receive(Attachment& attachment, const v1::ServerMessage& message);
  void Welcomed(Attachment& attachment, const v1::Welcome& welcome);
  void Renewed(Attachment& attachment, const v1::HeartbeatReply& reply);
  void Acknowledged(const v1::ReportAcknowledgement& acknowledgement);
  void TakeTask(const v1::TaskMessage& message);
  // One chunk of content; on the loader's thread.
  absl::StatusOr<v1::FetchReply> Fetch(const BlobHash& blob, int64_t offset,
                                       const std::stop_token& stop);
  void TakeLoaded(const TaskHash& hash, absl::StatusOr<work::TaskDefinition> definition);
  void TakeAssignment(const v1::Assignment& message);
  void SendReports(Attachment& attachment);
  void SendCanaries(Attachment& attachment);
  void SendRoofs(Attachment& attachment);
  void SendHeartbeat(Attachment& attachment);
  void SayGoodbye(Attachment& attachment);
  // Empty if there is none.
  std::string Token() const;
  void LogUnreachable(const absl::Status& status);
  void Pause(absl::Duration duration, const std::stop_token& stop);

  const SessionOptions options_;
  const std::unique_ptr<v1::AgentService::Stub> stub_;
  Executor& executor_;
  ReportOutbox& outbox_;
  ControlWatch& control_;
  RoofsWatch& roofs_;
  Wakeup& wakeup_;
  const Clock& clock_;
  absl::Duration next_unreachable_log_ = -absl::InfiniteDuration();
  TaskLoader loader_;  // last: its thread uses the above
};

}  // namespace burnish::agent
