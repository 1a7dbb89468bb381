#include "client/cli/watcher.h"

#include <utility>

#include "common/net/status.h"

namespace burnish::cli {

Watcher::Watcher(Connection& connection, const std::string& owner, const std::string& job_id) {
  connection.Authorise(context_);
  pb::WatchRequest request;
  request.set_namespace_(owner);
  request.set_job_id(job_id);
  reader_ = connection.stub().Watch(&context_, request);
  thread_ = std::thread([this] { Read(); });
}

Watcher::~Watcher() {
  context_.TryCancel();
  thread_.join();
}

void Watcher::Read() {
  pb::JobSnapshot snapshot;
  while (reader_->Read(&snapshot)) {
    absl::MutexLock lock(&mutex_);
    latest_ = snapshot;
  }
  const absl::Status status = net::ToAbslStatus(reader_->Finish());
  absl::MutexLock lock(&mutex_);
  ended_ = status;
}

std::optional<pb::JobSnapshot> Watcher::TakeLatest() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(latest_, std::nullopt);
}

std::optional<absl::Status> Watcher::Ended() {
  absl::MutexLock lock(&mutex_);
  return ended_;
}

bool IsFinalState(pb::State state) {
  return state == pb::STATE_DONE || state == pb::STATE_FAILED || state == pb::STATE_CANCELLED;
}

std::string StateText(pb::State state) {
  switch (state) {
    case pb::STATE_QUEUED:
      return "queued";
    case pb::STATE_RUNNING:
      return "running";
    case pb::STATE_PAUSED:
      return "paused";
    case pb::STATE_FINISHING:
      return "finishing";
    case pb::STATE_DONE:
      return "done";
    case pb::STATE_FAILED:
      return "failed";
    case pb::STATE_CANCELLED:
      return "cancelled";
    default:
      return "unknown";
  }
}

}  // namespace burnish::cli
