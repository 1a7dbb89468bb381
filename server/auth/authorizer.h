// Decides whether a peer may call a method. Immutable, so thread-safe.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "server/auth/policy.h"

namespace burnish::auth {

// Whether a peer, as gRPC names it ("ipv4:127.0.0.1:5000", "ipv6:[::1]:5000", "unix:"), is on this
// machine.
bool IsLocalPeer(std::string_view peer);

class Authorizer {
 public:
  // `insecure`: the operator has declared the whole network trusted.
  Authorizer(PolicyTable policy, bool insecure);
  // PermissionDenied, naming the method, unless a row of the policy lets the peer in.
  absl::Status Authorize(std::string_view method, std::string_view peer) const;

 private:
  const PolicyTable policy_;
  const bool insecure_;
};

}  // namespace burnish::auth
