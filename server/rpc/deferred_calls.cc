#include "server/rpc/deferred_calls.h"

#include <utility>

#include "common/net/status.h"
#include "server/rpc/answer.h"

namespace burnish::rpc {

DeferredCalls::DeferredCalls()
    : loop_({.name = "deferred_calls", .interval = absl::InfiniteDuration()},
            [this] { return Round(); }) {}

DeferredCalls::~DeferredCalls() { Stop(absl::UnavailableError("the server is stopping")); }

void DeferredCalls::Add(grpc::ServerUnaryReactor* reactor, std::function<absl::Status()> handler) {
  absl::Status refusal;
  {
    absl::MutexLock lock(&mutex_);
    refusal = refusal_;
    if (refusal.ok()) waiting_.push_back({reactor, std::move(handler)});
  }
  if (refusal.ok()) {
    loop_.Wake();
  } else {
    reactor->Finish(net::ToGrpcStatus(refusal));
  }
}

void DeferredCalls::Refuse(const absl::Status& reason) {
  std::deque<Call> left;
  {
    absl::MutexLock lock(&mutex_);
    refusal_ = reason;
    left.swap(waiting_);
  }
  for (const Call& call : left) call.reactor->Finish(net::ToGrpcStatus(reason));
}

void DeferredCalls::Stop(const absl::Status& reason) {
  Refuse(reason);
  loop_.Stop();
}

absl::Status DeferredCalls::Round() {
  while (true) {
    Call call;
    {
      absl::MutexLock lock(&mutex_);
      if (waiting_.empty()) return absl::OkStatus();
      call = std::move(waiting_.front());
      waiting_.pop_front();
    }
    call.reactor->Finish(ToAnswer(call.handler()));
  }
}

}  // namespace burnish::rpc
