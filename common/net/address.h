// Where a server listens, as people write it: HOST:PORT, [IPv6]:PORT or unix:PATH. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace burnish::net {

struct ServerAddress {
  enum class Kind { kTcp, kUnix };
  Kind kind = Kind::kTcp;
  std::string host;  // kTcp, without brackets
  int port = 0;      // kTcp; 0: any free port, for listening
  std::string path;  // kUnix, absolute
};

// InvalidArgument Diagnostics that quote the text.
absl::StatusOr<ServerAddress> ParseServerAddress(std::string_view text);
// HOST:PORT, [IPv6]:PORT or unix:PATH; parses back to the same address.
std::string ToText(const ServerAddress& address);

// Whether nobody but this machine's users can be at the other end: loopback and unix sockets.
bool IsLocal(const ServerAddress& address);
// Plain text is for local addresses; elsewhere only where the user said so. `alternative` opens the
// hint: "add --x, or ".
absl::Status CheckPlainTextAllowed(const ServerAddress& address, bool insecure,
                                   std::string_view alternative = "");

}  // namespace burnish::net
