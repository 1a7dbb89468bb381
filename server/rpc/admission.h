// The one way into every handler: the caller is authorised for the namespace that the request
// names, or a reactor that refuses the call is returned in the handler's place.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/server_callback.h"
#include "server/auth/authorizer.h"
#include "server/rpc/answer.h"
#include "server/rpc/open_streams.h"

namespace burnish::rpc {

// What a request means that names no namespace.
inline constexpr char kDefaultNamespace[] = "default";

// What services admit their callers by; one for all of a server's. Thread-safe.
class Admission {
 public:
  // The authorizer outlives this.
  explicit Admission(auth::Authorizer& authorizer) : authorizer_(authorizer) {}

  absl::StatusOr<auth::Principal> Authorize(const grpc::CallbackServerContext& context,
                                            std::string_view method,
                                            std::optional<std::string> owner);
  void Watch(const std::shared_ptr<OpenStream>& stream, auth::Principal principal) {
    streams_.Add(stream, std::move(principal));
  }
  // Ends the streams of callers who would not be let in any more; called every now and then.
  void CheckStreams() { streams_.Check(authorizer_); }
  // A token was made or revoked on this server.
  void TokensChanged() {
    authorizer_.TokensChanged();
    CheckStreams();
  }

 private:
  auth::Authorizer& authorizer_;
  OpenStreams streams_;
};

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

// The namespace that a request names; nothing for one that has no such field.
template <typename Request>
std::optional<std::string> NamespaceIn(const Request& request) {
  if constexpr (requires { request.namespace_(); }) {
    return request.namespace_().empty() ? kDefaultNamespace : request.namespace_();
  }
  return std::nullopt;
}

// What a bidirectional call is admitted by, whose requests come later.
struct NoRequest {};

// Handlers that care take the principal.
template <typename Handler>
auto Handle(const Handler& handler, const auth::Principal& principal) {
  if constexpr (requires { handler(principal); }) {
    return handler(principal);
  } else {
    return handler();
  }
}

// For a call that is answered later or by somebody else: `handler` returns the call's reactor.
template <typename Request, typename Handler>
grpc::ServerUnaryReactor* Admit(Admission& admission, grpc::CallbackServerContext* context,
                                std::string_view method, const Request& request,
                                const Handler& handler) {
  const absl::StatusOr<auth::Principal> principal =
      admission.Authorize(*context, method, NamespaceIn(request));
  return principal.ok() ? Handle(handler, *principal)
                        : Refuse<grpc::ServerUnaryReactor>(principal.status());
}

// For a call that is answered in place: `handler` returns its status.
template <typename Request, typename Handler>
grpc::ServerUnaryReactor* AdmitUnary(Admission& admission, grpc::CallbackServerContext* context,
                                     std::string_view method, const Request& request,
                                     const Handler& handler) {
  return Admit(admission, context, method, request, [&](const auth::Principal& principal) {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(ToAnswer(Handle(handler, principal)));
    return reactor;
  });
}

// For a call that lasts: `handler` returns the stream, which is watched over from then on, or why
// there is none.
template <typename Reactor, typename Request, typename Handler>
Reactor* AdmitStream(Admission& admission, grpc::CallbackServerContext* context,
                     std::string_view method, const Request& request, const Handler& handler) {
  const absl::StatusOr<auth::Principal> principal =
      admission.Authorize(*context, method, NamespaceIn(request));
  if (!principal.ok()) return Refuse<Reactor>(principal.status());
  const auto stream = Handle(handler, *principal);
  if (!stream.ok()) return Refuse<Reactor>(stream.status());
  admission.Watch(*stream, *principal);
  return stream->get();
}

}  // namespace burnish::rpc
