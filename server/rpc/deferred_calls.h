// Answers calls that take long (a submission constructs a whole search space) one after the other
// on a thread of their own, so that gRPC's few threads stay free. Thread-safe.
#pragma once

#include <deque>
#include <functional>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "grpcpp/support/server_callback.h"
#include "server/loop/loop.h"

namespace burnish::rpc {

class DeferredCalls {
 public:
  DeferredCalls();
  ~DeferredCalls();

  // Runs `handler` soon and finishes the call with its status.
  void Add(grpc::ServerUnaryReactor* reactor, std::function<absl::Status()> handler);
  // Finishes calls that wait, and those that come later, with `reason`.
  void Refuse(const absl::Status& reason);
  // Refuses, and returns when no handler runs any more.
  void Stop(const absl::Status& reason);

 private:
  struct Call {
    grpc::ServerUnaryReactor* reactor;
    std::function<absl::Status()> handler;
  };

  absl::Status Round();

  absl::Mutex mutex_;
  std::deque<Call> waiting_ ABSL_GUARDED_BY(mutex_);
  absl::Status refusal_ ABSL_GUARDED_BY(mutex_);  // not OK once calls are refused
  server::Loop loop_;                             // last: its rounds use all of the above
};

}  // namespace burnish::rpc
