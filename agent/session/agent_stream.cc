#include "agent/session/agent_stream.h"

#include <utility>

#include "common/net/status.h"

namespace burnish::agent {

AgentStream::AgentStream(v1::AgentService::Stub& stub, const std::string& token, Wakeup& wakeup)
    : wakeup_(wakeup) {
  if (!token.empty()) context_.AddMetadata("authorization", "Bearer " + token);
  stub.async()->Attach(&context_, this);
  // Writes start outside gRPC's callbacks: without a hold the call could be over under them.
  AddHold();
  StartRead(&incoming_);
  StartCall();
}

AgentStream::~AgentStream() { Close().IgnoreError(); }

void AgentStream::Send(v1::AgentMessage message) {
  absl::MutexLock lock(&mutex_);
  if (ended_) return;
  unsent_.push_back(std::move(message));
  WriteNext();
}

void AgentStream::HalfClose() {
  absl::MutexLock lock(&mutex_);
  half_close_ = true;
  WriteNext();
}

void AgentStream::WriteNext() {
  if (writing_) return;
  if (!unsent_.empty()) {
    writing_ = true;
    StartWrite(&unsent_.front());
  } else if (half_close_ && !ended_) {
    writing_ = true;  // for ever: nothing may follow
    StartWritesDone();
  }
}

std::optional<v1::ServerMessage> AgentStream::Receive() {
  absl::MutexLock lock(&mutex_);
  if (received_.empty()) return std::nullopt;
  v1::ServerMessage message = std::move(received_.front());
  received_.pop_front();
  return message;
}

bool AgentStream::ended() const {
  absl::MutexLock lock(&mutex_);
  return ended_;
}

absl::Status AgentStream::Close() {
  if (!std::exchange(closed_, true)) {
    if (!ended()) context_.TryCancel();
    RemoveHold();
  }
  absl::MutexLock lock(&mutex_);
  mutex_.Await(absl::Condition(
      +[](std::optional<grpc::Status>* status) { return status->has_value(); }, &status_));
  return net::ToAbslStatus(*status_);
}

void AgentStream::OnReadDone(bool ok) {
  {
    absl::MutexLock lock(&mutex_);
    if (ok) {
      received_.push_back(std::move(incoming_));
    } else {
      ended_ = true;
    }
  }
  if (ok) StartRead(&incoming_);
  wakeup_.Notify();
}

void AgentStream::OnWriteDone(bool ok) {
  absl::MutexLock lock(&mutex_);
  writing_ = !ok;  // after a failure nothing more can be written; the read says why
  unsent_.pop_front();
  if (ok) WriteNext();
}

void AgentStream::OnDone(const grpc::Status& status) {
  absl::MutexLock lock(&mutex_);
  status_ = status;
}

}  // namespace burnish::agent
