// Decides who a caller is, and whether that one may call a method. Thread-safe.
//
// A server without any token lets everybody in who is on its machine (with --insecure: everybody);
// from its first token on every call needs one. A private server, whose socket is its user's alone,
// never does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/auth/failed_tries.h"
#include "server/auth/policy.h"
#include "server/auth/token_cache.h"

namespace burnish::auth {

// Whether a peer, as gRPC names it ("ipv4:127.0.0.1:5000", "ipv6:[::1]:5000", "unix:"), is on this
// machine.
bool IsLocalPeer(std::string_view peer);

// Who calls: the holder of a token, or somebody who needs none.
struct Principal {
  std::optional<store::Token> token;

  // For the log: `ci (t3, submitter)`, or `anonymous`.
  std::string Actor() const;
};

struct Call {
  std::string_view method;
  std::string peer;
  std::optional<std::string> token;  // as the caller shows it
  std::optional<std::string> owner;  // the namespace that the request names
};

struct AuthorizerOptions {
  bool insecure = false;    // the operator has declared the whole network trusted
  bool is_private = false;  // whoever reaches the socket is the one user
  absl::Duration token_cache = absl::Seconds(5);
};

class Authorizer {
 public:
  // Store and clock outlive the authorizer.
  Authorizer(PolicyTable policy, store::Store& store, const Clock& clock,
             const AuthorizerOptions& options);

  // PermissionDenied, naming the method, for what the policy refuses; Unauthenticated for a caller
  // without a token in force; ResourceExhausted for a peer that has shown too many wrong ones.
  absl::StatusOr<Principal> Authorize(const Call& call);
  // For calls that last: not OK once the caller would not be let in any more.
  absl::Status StillIn(const Principal& principal);
  // A token was made or revoked on this server: it counts at once.
  void TokensChanged() { cache_.Forget(); }

 private:
  absl::StatusOr<Principal> Identify(const Call& call, const PolicyRow& row);
  absl::StatusOr<Principal> IdentifyAnonymous(const Call& call, const PolicyRow& row) const;
  absl::StatusOr<store::Token> Authenticate(const Call& call);
  absl::Status UnknownToken(const Call& call);
  absl::Status CheckInForce(const store::Token& token) const;

  const PolicyTable policy_;
  store::Store& store_;
  const AuthorizerOptions options_;
  TokenCache cache_;
  FailedTries failed_;
};

}  // namespace burnish::auth
