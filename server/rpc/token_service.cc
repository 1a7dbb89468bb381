#include "server/rpc/token_service.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "server/auth/token_text.h"

namespace burnish::rpc {
namespace {

using store::Role;

constexpr absl::Duration kDefaultLifetime = absl::Hours(90 * 24);
constexpr absl::Duration kLongestLifetime = absl::Seconds(limits::kTokenLifetimeSeconds);

constexpr std::pair<Role, pb::TokenRole> kRoles[] = {{Role::kViewer, pb::TOKEN_ROLE_VIEWER},
                                                     {Role::kSubmitter, pb::TOKEN_ROLE_SUBMITTER},
                                                     {Role::kAgent, pb::TOKEN_ROLE_AGENT},
                                                     {Role::kAdmin, pb::TOKEN_ROLE_ADMIN}};

absl::StatusOr<Role> FromProto(pb::TokenRole role) {
  for (const auto& [ours, theirs] : kRoles) {
    if (theirs == role) return ours;
  }
  return InvalidInput("role: missing or unknown", "viewer, submitter, agent or admin");
}

pb::TokenRole ToProto(Role role) {
  for (const auto& [ours, theirs] : kRoles) {
    if (ours == role) return theirs;
  }
  return pb::TOKEN_ROLE_UNSPECIFIED;
}

int64_t MillisOrZero(const std::optional<absl::Time>& time) {
  return time.has_value() ? absl::ToUnixMillis(*time) : 0;
}

pb::Token ToProto(const store::Token& token) {
  pb::Token proto;
  proto.set_token_id(ToText(token.id));
  proto.set_name(token.what.name);
  proto.set_role(ToProto(token.what.role));
  proto.set_all_namespaces(!token.what.namespaces.has_value());
  if (token.what.namespaces.has_value()) {
    for (const Namespace& owner : *token.what.namespaces) proto.add_namespaces(owner.value());
  }
  proto.set_prefix(token.what.prefix);
  proto.set_created_unix_ms(absl::ToUnixMillis(token.created));
  proto.set_expires_unix_ms(absl::ToUnixMillis(token.expires));
  proto.set_last_used_unix_ms(MillisOrZero(token.last_used));
  proto.set_revoked_unix_ms(MillisOrZero(token.revoked));
  return proto;
}

// Names stand in logs and messages.
absl::Status CheckName(const std::string& name) {
  const bool clean = std::ranges::all_of(name, [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-' || c == '@';
  });
  if (clean && !name.empty() && name.size() <= limits::kNameBytes) return absl::OkStatus();
  return InvalidInput(
      absl::StrCat("name: '", name, "'"),
      absl::StrCat("letters, digits, '.', '_', '-' and '@', at most ", limits::kNameBytes));
}

absl::Status ReadNamespaces(const pb::CreateTokenRequest& request, store::NewToken& token) {
  const bool of_teams = token.role == Role::kViewer || token.role == Role::kSubmitter;
  if (!of_teams && request.namespaces_size() > 0) {
    return InvalidInput(absl::StrCat("namespaces: a token of role ", store::RoleName(token.role),
                                     " is for the whole server"),
                        "leave the namespaces out");
  }
  if (!of_teams || (request.all_namespaces() && request.namespaces_size() == 0)) {
    return absl::OkStatus();  // all
  }
  if (request.all_namespaces() || request.namespaces_size() == 0) {
    return InvalidInput("namespaces: name some or say all", "a viewer or submitter needs either");
  }
  if (static_cast<size_t>(request.namespaces_size()) > limits::kTokenNamespaces) {
    return InvalidInput(
        absl::StrCat("namespaces: more than ", limits::kTokenNamespaces, " for one token"));
  }
  token.namespaces.emplace();
  for (const std::string& name : request.namespaces()) {
    if (name.empty() || name.size() > limits::kNameBytes) {
      return InvalidInput(absl::StrCat("namespaces: '", name, "'"),
                          absl::StrCat("1 to ", limits::kNameBytes, " bytes each"));
    }
    token.namespaces->emplace_back(name);
  }
  return absl::OkStatus();
}

absl::StatusOr<store::NewToken> FromProto(const pb::CreateTokenRequest& request) {
  store::NewToken token{.name = request.name(), .lifetime = kDefaultLifetime};
  RETURN_IF_ERROR(CheckName(token.name));
  ASSIGN_OR_RETURN(token.role, FromProto(request.role()));
  RETURN_IF_ERROR(ReadNamespaces(request, token));
  if (request.lifetime_seconds() != 0) token.lifetime = absl::Seconds(request.lifetime_seconds());
  if (token.lifetime <= absl::ZeroDuration() || token.lifetime > kLongestLifetime) {
    return InvalidInput("lifetime: not a time that a token may live",
                        absl::StrCat("at most ", kLongestLifetime / absl::Hours(24), " days"));
  }
  return token;
}

}  // namespace

grpc::ServerUnaryReactor* TokenService::Create(grpc::CallbackServerContext* context,
                                               const pb::CreateTokenRequest* request,
                                               pb::CreateTokenReply* reply) {
  return AdmitUnary(
      admission_, context, "/burnish.v1.TokenService/Create", *request,
      [&](const auth::Principal& principal) -> absl::Status {
        ASSIGN_OR_RETURN(store::NewToken token, FromProto(*request));
        const std::string secret = auth::NewTokenText();
        token.hash = auth::HashOfToken(secret);
        token.prefix = auth::VisiblePrefix(secret);
        ASSIGN_OR_RETURN(const store::Token created, store_.CreateToken(token));
        admission_.TokensChanged();
        Log(LogLevel::kInfo, "token_created",
            {{"token", auth::Principal{created}.Actor()}, {"actor", principal.Actor()}});
        *reply->mutable_token() = ToProto(created);
        reply->set_secret(secret);
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* TokenService::List(grpc::CallbackServerContext* context,
                                             const pb::ListTokensRequest* request,
                                             pb::ListTokensReply* reply) {
  return AdmitUnary(admission_, context, "/burnish.v1.TokenService/List", *request,
                    [&]() -> absl::Status {
                      ASSIGN_OR_RETURN(const auto tokens, store_.Tokens());
                      for (const store::Token& token : tokens) {
                        *reply->add_tokens() = ToProto(token);
                      }
                      return absl::OkStatus();
                    });
}

grpc::ServerUnaryReactor* TokenService::Revoke(grpc::CallbackServerContext* context,
                                               const pb::RevokeTokenRequest* request,
                                               pb::Token* reply) {
  return AdmitUnary(
      admission_, context, "/burnish.v1.TokenService/Revoke", *request,
      [&](const auth::Principal& principal) -> absl::Status {
        const std::optional<TokenId> id = ParseTokenId(request->token_id());
        if (!id.has_value()) {
          return InvalidInput(absl::StrCat("'", request->token_id(), "' is no token id"),
                              "token ids look like t3; `burnish token list` shows them");
        }
        ASSIGN_OR_RETURN(const store::Token revoked, store_.RevokeToken(*id));
        admission_.TokensChanged();
        Log(LogLevel::kInfo, "token_revoked",
            {{"token", auth::Principal{revoked}.Actor()}, {"actor", principal.Actor()}});
        *reply = ToProto(revoked);
        return absl::OkStatus();
      });
}

}  // namespace burnish::rpc
