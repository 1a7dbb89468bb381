// Plain text or TLS: what people say of it, and what follows. Pure, and free of gRPC.
//
// Plain text to this machine, TLS elsewhere; files for TLS ask for it here too, `insecure` for
// plain text there.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "common/net/address.h"

namespace burnish::net {

// PEM files; empty: not given.
struct TlsFiles {
  std::string certificate;  // with its chain
  std::string key;
  std::string ca;  // certificates to trust

  bool any() const { return !certificate.empty() || !key.empty() || !ca.empty(); }
};

struct DialOptions {
  bool insecure = false;
  TlsFiles tls;  // without a `ca` the system's certificates are trusted
};

bool SpeaksTls(const ServerAddress& address, const DialOptions& options);
// Sockets of this machine speak no TLS, and nobody can ask for TLS and for plain text.
absl::Status CheckTlsPossible(const ServerAddress& address, bool insecure);
// A token must not cross the network in plain text. `from`: where it was said.
absl::Status CheckTokenMayTravel(const ServerAddress& address, const DialOptions& options,
                                 std::string_view from);

}  // namespace burnish::net
