// One bidirectional stream to the server. Nothing here blocks but Close(): messages are queued in
// both directions, and the wake-up is notified whenever there is something to look at.
//
// Send, Receive, HalfClose and Close belong to one thread; gRPC's threads do the rest.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "agent/session/wakeup.h"
#include "burnish/v1/agent_service.grpc.pb.h"

namespace burnish::agent {

class AgentStream : private grpc::ClientBidiReactor<v1::AgentMessage, v1::ServerMessage> {
 public:
  // Starts the call; stub and wake-up outlive this. An empty token is none.
  AgentStream(v1::AgentService::Stub& stub, const std::string& token, Wakeup& wakeup);
  ~AgentStream() override;

  void Send(v1::AgentMessage message);
  // The oldest message not yet received; nothing if there is none now.
  std::optional<v1::ServerMessage> Receive();
  // Says goodbye behind what is queued; the server then ends the stream.
  void HalfClose();
  // The server sends nothing more: what Receive() gives after this was true is the last.
  bool ended() const;
  // Ends the call, at once if the server has not ended it yet; its status.
  absl::Status Close();

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;
  void WriteNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Wakeup& wakeup_;
  grpc::ClientContext context_;
  v1::ServerMessage incoming_;  // the read in progress

  mutable absl::Mutex mutex_;
  std::deque<v1::ServerMessage> received_ ABSL_GUARDED_BY(mutex_);
  std::deque<v1::AgentMessage> unsent_ ABSL_GUARDED_BY(mutex_);  // the first is being written
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool half_close_ ABSL_GUARDED_BY(mutex_) = false;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ = false;
  std::optional<grpc::Status> status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace burnish::agent
