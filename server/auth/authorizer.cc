#include "server/auth/authorizer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "server/auth/token_text.h"

namespace burnish::auth {
namespace {

using store::Role;

absl::Status Unauthenticated(std::string_view message, std::string_view hint) {
  return DiagnosticStatus(absl::StatusCode::kUnauthenticated,
                          {.message = std::string(message), .hint = std::string(hint)});
}

absl::Status Denied(std::string_view message, std::string_view hint) {
  return DiagnosticStatus(absl::StatusCode::kPermissionDenied,
                          {.message = std::string(message), .hint = std::string(hint)});
}

absl::Status NeedsToken() {
  return Unauthenticated("this server asks for a token",
                         "set BURNISH_TOKEN or a context's token_file (burnish-agent: "
                         "--token-file); an admin makes one with `burnish token create`");
}

// Without the port, which changes with every connection.
std::string HostOf(const std::string& peer) { return peer.substr(0, peer.rfind(':')); }

std::string NameOf(const store::Token& token) {
  return absl::StrCat("token '", token.what.name, "' (", ToText(token.id), ")");
}

absl::Status CheckPolicy(const Call& call, const PolicyRow& row, const store::Token& token) {
  const std::string role = store::RoleName(token.what.role);
  if (!row.roles.contains(token.what.role)) {
    return Denied(absl::StrCat(NameOf(token), " has the role ", role, ", which may not call ",
                               std::string(call.method)),
                  "`burnish token list` shows roles to an admin");
  }
  const auto& own = token.what.namespaces;
  if (!row.own_namespace || !own.has_value()) return absl::OkStatus();
  if (call.owner.has_value() && std::ranges::find(*own, Namespace(*call.owner)) != own->end()) {
    return absl::OkStatus();
  }
  return Denied(
      absl::StrCat(NameOf(token), " is not for namespace '", call.owner.value_or(""), "'"),
      "name one of the token's own with --namespace");
}

void LogAdmitted(const Call& call, const PolicyRow& row, const Principal& principal) {
  Log(row.is_routine ? LogLevel::kDebug : LogLevel::kInfo, "call_admitted",
      {{"method", std::string(call.method)},
       {"actor", principal.Actor()},
       {"namespace", call.owner.value_or("")},
       {"peer", call.peer}});
}

void LogRefused(const Call& call, const std::string& actor, const absl::Status& status) {
  Log(LogLevel::kWarning, "call_refused",
      {{"method", std::string(call.method)},
       {"actor", actor},
       {"namespace", call.owner.value_or("")},
       {"peer", call.peer},
       {"reason", std::string(status.message())}});
}

}  // namespace

bool IsLocalPeer(std::string_view peer) {
  // gRPC percent-encodes the brackets of IPv6 addresses in some versions and not in others.
  for (const std::string_view prefix :
       {"unix:", "unix-abstract:", "ipv4:127.",
        "ipv6:[::1]:", "ipv6:%5B::1%5D:", "ipv6:[::ffff:127.", "ipv6:%5B::ffff:127."}) {
    if (peer.substr(0, prefix.size()) == prefix) return true;
  }
  return false;
}

std::string Principal::Actor() const {
  if (!token.has_value()) return "anonymous";
  return absl::StrCat(token->what.name, " (", ToText(token->id), ", ",
                      store::RoleName(token->what.role), ")");
}

Authorizer::Authorizer(PolicyTable policy, store::Store& store, const Clock& clock,
                       const AuthorizerOptions& options)
    : policy_(std::move(policy)),
      store_(store),
      options_(options),
      cache_(store, clock, options.token_cache),
      failed_(clock) {}

absl::StatusOr<Principal> Authorizer::Authorize(const Call& call) {
  const auto row = policy_.find(call.method);
  if (row == policy_.end()) {
    return absl::PermissionDeniedError(
        absl::StrCat(std::string(call.method), " is open to nobody on this server"));
  }
  ASSIGN_OR_RETURN(const Principal principal, Identify(call, row->second));
  if (principal.token.has_value()) {
    const absl::Status allowed = CheckPolicy(call, row->second, *principal.token);
    if (!allowed.ok()) {
      LogRefused(call, principal.Actor(), allowed);
      return allowed;
    }
  }
  LogAdmitted(call, row->second, principal);
  return principal;
}

absl::StatusOr<Principal> Authorizer::Identify(const Call& call, const PolicyRow& row) {
  if (options_.is_private) return Principal();
  ASSIGN_OR_RETURN(const bool any, cache_.AnyToken());
  if (!any) return IdentifyAnonymous(call, row);
  if (!call.token.has_value()) return NeedsToken();
  ASSIGN_OR_RETURN(store::Token token, Authenticate(call));
  return Principal{std::move(token)};
}

absl::StatusOr<Principal> Authorizer::IdentifyAnonymous(const Call& call,
                                                        const PolicyRow& row) const {
  if (IsLocalPeer(call.peer) || (options_.insecure && !row.local_first)) return Principal();
  return Unauthenticated(
      absl::StrCat("this server has no token yet: ", std::string(call.method),
                   " is open to callers on its machine"),
      "make the first token there: burnish token create --name NAME --role admin");
}

absl::StatusOr<store::Token> Authorizer::Authenticate(const Call& call) {
  if (!IsTokenText(*call.token)) return UnknownToken(call);
  const std::string hash = HashOfToken(*call.token);
  std::optional<TokenCache::Known> known = cache_.Find(hash, cache_.lifetime());
  if (!known.has_value()) {
    // One that was right a while ago waits for no one.
    const auto before = cache_.Find(hash, absl::InfiniteDuration());
    const bool was_right = before.has_value() && before->token.has_value();
    if (!was_right && !failed_.MayLookUp(HostOf(call.peer))) return UnknownToken(call);
    ASSIGN_OR_RETURN(auto token, cache_.LookUp(hash));
    known = {std::move(token)};
  }
  if (!known->token.has_value()) return UnknownToken(call);
  RETURN_IF_ERROR(CheckInForce(*known->token));
  return *std::move(known->token);
}

absl::Status Authorizer::UnknownToken(const Call& call) {
  if (!failed_.Add(HostOf(call.peer))) {
    // Not logged either: it must not fill the disk.
    return DiagnosticStatus(absl::StatusCode::kResourceExhausted,
                            {.message = "too many wrong tokens came from this address",
                             .hint = "check the token, and try again in a minute"});
  }
  const absl::Status status =
      Unauthenticated("the token is none of this server's",
                      "check BURNISH_TOKEN, the context's token_file or --token-file");
  LogRefused(call, "unknown", status);
  return status;
}

absl::Status Authorizer::CheckInForce(const store::Token& token) const {
  const char* const hint = "ask an admin for a new one: burnish token create";
  if (token.revoked.has_value()) {
    return Unauthenticated(absl::StrCat(NameOf(token), " was revoked"), hint);
  }
  if (token.expires <= store_.Now()) {
    return Unauthenticated(
        absl::StrCat(NameOf(token), " expired on ",
                     absl::FormatTime("%Y-%m-%d %H:%M UTC", token.expires, absl::UTCTimeZone())),
        hint);
  }
  return absl::OkStatus();
}

absl::Status Authorizer::StillIn(const Principal& principal) {
  if (options_.is_private) return absl::OkStatus();
  if (!principal.token.has_value()) {
    ASSIGN_OR_RETURN(const bool any, cache_.AnyToken());
    return any ? NeedsToken() : absl::OkStatus();
  }
  // Asked anew a little early, so that this look and the next one are not a lifetime apart.
  const std::string& hash = principal.token->what.hash;
  std::optional<TokenCache::Known> known = cache_.Find(hash, 0.75 * cache_.lifetime());
  if (!known.has_value()) {
    ASSIGN_OR_RETURN(auto token, cache_.LookUp(hash));
    known = {std::move(token)};
  }
  if (!known->token.has_value()) return NeedsToken();
  return CheckInForce(*known->token);
}

}  // namespace burnish::auth
