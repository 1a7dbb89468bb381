#include "server/auth/authorizer.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"

namespace burnish::auth {

bool IsLocalPeer(std::string_view peer) {
  // gRPC percent-encodes the brackets of IPv6 addresses in some versions and not in others.
  for (const std::string_view prefix :
       {"unix:", "unix-abstract:", "ipv4:127.",
        "ipv6:[::1]:", "ipv6:%5B::1%5D:", "ipv6:[::ffff:127.", "ipv6:%5B::ffff:127."}) {
    if (peer.substr(0, prefix.size()) == prefix) return true;
  }
  return false;
}

Authorizer::Authorizer(PolicyTable policy, bool insecure)
    : policy_(std::move(policy)), insecure_(insecure) {}

absl::Status Authorizer::Authorize(std::string_view method, std::string_view peer) const {
  const auto row = policy_.find(std::string(method));
  if (row == policy_.end()) {
    return absl::PermissionDeniedError(
        absl::StrCat(std::string(method), " is open to nobody on this server"));
  }
  switch (row->second) {
    case Access::kLocal:
      if (insecure_ || IsLocalPeer(peer)) return absl::OkStatus();
      break;
  }
  return DiagnosticStatus(
      absl::StatusCode::kPermissionDenied,
      {.message = absl::StrCat(std::string(method), " is open to callers on the server's machine"),
       .hint = "start the server with --insecure on a network you trust"});
}

}  // namespace burnish::auth
