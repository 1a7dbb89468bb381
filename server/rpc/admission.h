// The one way into every handler: the caller is authorised, or a reactor that refuses the call is
// returned in the handler's place.
#pragma once

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "grpcpp/support/server_callback.h"
#include "server/auth/authorizer.h"
#include "server/rpc/answer.h"

namespace burnish::rpc {

// Ends its call at once with a status. Works for every kind of reactor.
template <typename Reactor>
class Refusal final : public Reactor {
 public:
  explicit Refusal(const absl::Status& status) { this->Finish(ToAnswer(status)); }

 private:
  void OnDone() override { delete this; }
};

template <typename Reactor>
Reactor* Refuse(const absl::Status& status) {
  return new Refusal<Reactor>(status);
}

// `handler` returns the call's reactor.
template <typename Reactor, typename Handler>
Reactor* Admit(const auth::Authorizer& authorizer, grpc::CallbackServerContext* context,
               std::string_view method, Handler handler) {
  const absl::Status allowed = authorizer.Authorize(method, context->peer());
  return allowed.ok() ? handler() : Refuse<Reactor>(allowed);
}

// For a call that is answered in place: `handler` returns its status.
template <typename Handler>
grpc::ServerUnaryReactor* AdmitUnary(const auth::Authorizer& authorizer,
                                     grpc::CallbackServerContext* context, std::string_view method,
                                     Handler handler) {
  return Admit<grpc::ServerUnaryReactor>(authorizer, context, method, [&] {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(ToAnswer(handler()));
    return reactor;
  });
}

}  // namespace burnish::rpc
