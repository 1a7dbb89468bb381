// A server's end of a stream: messages are queued, written one after the other, and followed by
// the call's status. Senders never block.
//
// Thread-safe. No lock is held while gRPC is called. The object keeps itself alive from KeepAlive()
// until gRPC is done with it; what is sent after the end is dropped.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "common/net/status.h"
#include "grpcpp/support/server_callback.h"
#include "server/rpc/open_streams.h"

namespace burnish::rpc {

// Reactor: grpc::ServerWriteReactor<Message> or grpc::ServerBidiReactor<Request, Message>.
template <typename Reactor, typename Message>
class QueuedStream : public Reactor, public OpenStream {
 public:
  // Once, before the reactor is handed to gRPC.
  void KeepAlive(std::shared_ptr<QueuedStream> self) { self_ = std::move(self); }

  void Send(Message message) {
    {
      absl::MutexLock lock(&mutex_);
      if (end_.has_value()) return;
      queue_.push_back(std::move(message));
    }
    Pump();
  }

  // As one: OnDrained() does not come in between.
  void SendAll(std::vector<Message> messages) {
    {
      absl::MutexLock lock(&mutex_);
      if (end_.has_value()) return;
      for (Message& message : messages) queue_.push_back(std::move(message));
    }
    Pump();
  }

  // In place of whatever waits: for messages of which only the latest counts.
  void SendLatest(Message message) {
    {
      absl::MutexLock lock(&mutex_);
      if (end_.has_value()) return;
      queue_.clear();
      queue_.push_back(std::move(message));
    }
    Pump();
  }

  // Ends the call after everything sent before. The first end counts.
  void End(const absl::Status& status) { SetEnd(status, /*drop_queue=*/false); }
  // Ends the call and drops what waits to be written.
  void Abort(const absl::Status& status) { SetEnd(status, /*drop_queue=*/true); }

  void Expel(const absl::Status& reason) override { Abort(reason); }

  size_t queued() const {
    absl::MutexLock lock(&mutex_);
    return queue_.size();
  }
  bool ended() const override {
    absl::MutexLock lock(&mutex_);
    return end_.has_value();
  }

 protected:
  // Between these two the call does not finish, so that a read may be started from any thread.
  // False if the call has ended already.
  bool HoldOpen() {
    absl::MutexLock lock(&mutex_);
    if (end_.has_value()) return false;
    ++holds_;
    return true;
  }
  void LetGo() {
    {
      absl::MutexLock lock(&mutex_);
      --holds_;
    }
    Pump();
  }

  // All that was sent is written; called from one thread at a time.
  virtual void OnDrained() {}
  // The last call: the peer is gone or has its status. `cancelled`: it was gone first.
  virtual void OnEnded(bool cancelled) {}

 private:
  void SetEnd(const absl::Status& status, bool drop_queue) {
    {
      absl::MutexLock lock(&mutex_);
      if (!end_.has_value()) end_ = status;
      if (drop_queue) queue_.clear();
    }
    Pump();
  }

  // Starts the next write or the end, unless a write is in flight. At most one caller finds
  // something to do, so that calls to gRPC keep their order without a lock.
  void Pump() {
    std::optional<absl::Status> end;
    {
      absl::MutexLock lock(&mutex_);
      if (writing_ || finished_) return;
      if (!queue_.empty()) {
        current_ = std::move(queue_.front());
        queue_.pop_front();
        writing_ = true;
      } else if (end_.has_value() && holds_ == 0) {
        finished_ = true;
        end = end_;
      } else {
        return;
      }
    }
    if (end.has_value()) {
      this->Finish(net::ToGrpcStatus(*end));
    } else {
      this->StartWrite(&current_);  // nobody else touches it while the write is in flight
    }
  }

  void OnWriteDone(bool ok) final {
    bool drained = false;
    {
      absl::MutexLock lock(&mutex_);
      writing_ = false;
      if (!ok) {
        queue_.clear();
        if (!end_.has_value()) end_ = absl::CancelledError("the peer is gone");
      }
      drained = queue_.empty() && !end_.has_value();
    }
    if (drained) OnDrained();
    Pump();
  }

  void OnCancel() final {
    {
      absl::MutexLock lock(&mutex_);
      cancelled_ = true;
    }
    Abort(absl::CancelledError("the peer is gone"));
  }

  void OnDone() final {
    const std::shared_ptr<QueuedStream> self = std::move(self_);
    bool cancelled = false;
    {
      absl::MutexLock lock(&mutex_);
      cancelled = cancelled_;
    }
    OnEnded(cancelled);
  }

  std::shared_ptr<QueuedStream> self_;
  Message current_;  // being written
  mutable absl::Mutex mutex_;
  std::deque<Message> queue_ ABSL_GUARDED_BY(mutex_);
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mutex_);
  int holds_ ABSL_GUARDED_BY(mutex_) = 0;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace burnish::rpc
