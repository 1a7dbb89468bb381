#include "common/net/address.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/numbers.h"

namespace burnish::net {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";
constexpr char kForms[] = "write HOST:PORT, as in 127.0.0.1:7400, or unix:PATH";
// sockaddr_un holds 108 bytes with the terminating zero.
constexpr size_t kUnixPathBytes = 107;

absl::Status BadAddress(std::string_view text, std::string_view why, std::string_view hint) {
  return InvalidInput(
      absl::StrCat("'", std::string(text), "' is no server address: ", std::string(why)), hint);
}

absl::StatusOr<ServerAddress> ParseUnix(std::string_view text) {
  ServerAddress address{.kind = ServerAddress::Kind::kUnix, .host = "", .port = 0, .path = ""};
  address.path = std::string(text.substr(kUnixPrefix.size()));
  if (address.path.empty() || address.path[0] != '/') {
    return BadAddress(text, "the path of the socket is not absolute", "write unix:/FOLDER/socket");
  }
  if (address.path.size() > kUnixPathBytes) {
    return BadAddress(text, "the path of the socket is longer than 107 bytes",
                      "choose a folder with a shorter name");
  }
  return address;
}

std::optional<int> ParsePort(std::string_view text) {
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
  }
  const std::optional<int64_t> port = ParseInteger(text);
  if (!port.has_value() || *port > 65535) return std::nullopt;
  return static_cast<int>(*port);
}

}  // namespace

absl::StatusOr<ServerAddress> ParseServerAddress(std::string_view text) {
  if (absl::StartsWith(std::string(text), std::string(kUnixPrefix))) return ParseUnix(text);
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.find("//") != std::string_view::npos) {
    return BadAddress(text, colon == std::string_view::npos ? "it has no port" : "it is a URL",
                      kForms);
  }
  std::string_view host = text.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return BadAddress(text, "an IPv6 address needs brackets", "write [ADDRESS]:PORT");
  }
  if (host.empty()) return BadAddress(text, "it has no host", kForms);
  const std::optional<int> port = ParsePort(text.substr(colon + 1));
  if (!port.has_value()) {
    return BadAddress(text, "the port is not a number from 0 to 65535", kForms);
  }
  return ServerAddress{
      .kind = ServerAddress::Kind::kTcp, .host = std::string(host), .port = *port, .path = ""};
}

std::string ToText(const ServerAddress& address) {
  if (address.kind == ServerAddress::Kind::kUnix) {
    return absl::StrCat(std::string(kUnixPrefix), address.path);
  }
  const bool bracketed = address.host.find(':') != std::string::npos;
  return absl::StrCat(bracketed ? "[" : "", address.host, bracketed ? "]" : "", ":", address.port);
}

bool IsLocal(const ServerAddress& address) {
  if (address.kind == ServerAddress::Kind::kUnix) return true;
  if (address.host == "localhost" || address.host == "::1") return true;
  // All of 127.0.0.0/8, but not a host name such as 127.example.org.
  return absl::StartsWith(address.host, "127.") &&
         address.host.find_first_not_of("0123456789.") == std::string::npos;
}

absl::Status CheckPlainTextAllowed(const ServerAddress& address, bool insecure,
                                   std::string_view alternative) {
  if (insecure || IsLocal(address)) return absl::OkStatus();
  return DiagnosticStatus(
      absl::StatusCode::kInvalidArgument,
      {.message = absl::StrCat(ToText(address), " is not loopback and this would be plain text"),
       .hint = absl::StrCat(std::string(alternative),
                            "pass --insecure to speak plain text on a network you trust")});
}

}  // namespace burnish::net
