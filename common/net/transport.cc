#include "common/net/transport.h"

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"

namespace burnish::net {

bool SpeaksTls(const ServerAddress& address, const DialOptions& options) {
  return options.tls.any() || (!IsLocal(address) && !options.insecure);
}

absl::Status CheckTlsPossible(const ServerAddress& address, bool insecure) {
  if (insecure) {
    return InvalidInput("--insecure means plain text, but files for TLS are given",
                        "leave either out");
  }
  if (address.kind == ServerAddress::Kind::kTcp) return absl::OkStatus();
  return InvalidInput(absl::StrCat(ToText(address), ": sockets of this machine speak no TLS"),
                      "leave the files for TLS out");
}

absl::Status CheckTokenMayTravel(const ServerAddress& address, const DialOptions& options,
                                 std::string_view from) {
  if (SpeaksTls(address, options) || IsLocal(address)) return absl::OkStatus();
  return DiagnosticStatus(
      absl::StatusCode::kFailedPrecondition,
      {.message = absl::StrCat("the token from ", std::string(from), " would go to ",
                               ToText(address), " in plain text"),
       .hint = "leave --insecure out, so that TLS is spoken, or leave the token out"});
}

}  // namespace burnish::net
