#include "server/store/sql/tokens.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "server/store/sql/codec.h"

namespace burnish::store::sql {
namespace {

constexpr absl::Duration kTouchInterval = absl::Minutes(1);

absl::StatusOr<Token> ReadToken(Query& row) {
  Token token{.id = TokenId(row.Integer(0)),
              .what = {.name = row.Text(3), .hash = row.Text(1), .prefix = row.Text(2)},
              .created = row.Time(6),
              .expires = row.Time(7),
              .last_used = row.OptionalTime(8),
              .revoked = row.OptionalTime(9)};
  const std::optional<Role> role = ParseRole(row.Text(4));
  if (!role.has_value()) {
    return absl::DataLossError(absl::StrCat("the database holds a token of role ", row.Text(4)));
  }
  token.what.role = *role;
  if (!row.IsNull(5)) {
    ASSIGN_OR_RETURN(token.what.namespaces, DecodeNamespaces(row.Text(5)));
  }
  token.what.lifetime = token.expires - token.created;
  return token;
}

absl::StatusOr<Token> GetToken(Connection& connection, TokenId id) {
  Query row(connection,
            "SELECT id, hash, prefix, name, role, namespaces_json, created_ns, expires_ns, "
            "last_used_ns, revoked_ns FROM tokens WHERE id = ?",
            id.value());
  if (!row.Next()) return absl::NotFoundError(absl::StrCat("there is no token ", ToText(id)));
  return ReadToken(row);
}

// Locked in one order, so that two revocations cannot both leave the other's token as the last.
int AdminsInForce(Connection& connection, absl::Time now) {
  Query query(connection,
              "SELECT id FROM tokens WHERE role = 'admin' AND revoked_ns IS NULL "
              "AND expires_ns > ? ORDER BY id FOR UPDATE",
              now);
  int count = 0;
  while (query.Next()) ++count;
  return count;
}

}  // namespace

absl::StatusOr<Token> CreateToken(Connection& connection, absl::Time now, const NewToken& token) {
  if (token.role != Role::kAdmin && !AnyToken(connection)) {
    return absl::FailedPreconditionError("the first token has to be an admin's");
  }
  std::optional<std::string> namespaces;
  if (token.namespaces.has_value()) namespaces = EncodeNamespaces(*token.namespaces);
  Change(connection,
         "INSERT INTO tokens (hash, prefix, name, role, namespaces_json, created_ns, expires_ns) "
         "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (hash) DO NOTHING",
         token.hash, token.prefix, token.name, RoleName(token.role), namespaces, now,
         now + token.lifetime);
  ASSIGN_OR_RETURN(std::optional<Token> created, FindToken(connection, token.hash));
  if (!created.has_value()) return absl::InternalError("the token was not stored");
  return *std::move(created);
}

absl::StatusOr<std::optional<Token>> FindToken(Connection& connection, const std::string& hash) {
  Query row(connection,
            "SELECT id, hash, prefix, name, role, namespaces_json, created_ns, expires_ns, "
            "last_used_ns, revoked_ns FROM tokens WHERE hash = ?",
            hash);
  if (!row.Next()) return std::nullopt;
  ASSIGN_OR_RETURN(Token token, ReadToken(row));
  return std::optional<Token>(std::move(token));
}

absl::StatusOr<std::vector<Token>> Tokens(Connection& connection) {
  std::vector<Token> tokens;
  Query row(connection,
            "SELECT id, hash, prefix, name, role, namespaces_json, created_ns, expires_ns, "
            "last_used_ns, revoked_ns FROM tokens ORDER BY id");
  while (row.Next()) {
    ASSIGN_OR_RETURN(tokens.emplace_back(), ReadToken(row));
  }
  return tokens;
}

bool AnyToken(Connection& connection) {
  Query query(connection, "SELECT 1 FROM tokens LIMIT 1");
  return query.Next();
}

absl::StatusOr<Token> RevokeToken(Connection& connection, absl::Time now, TokenId id) {
  ASSIGN_OR_RETURN(Token token, GetToken(connection, id));
  if (token.revoked.has_value()) return token;
  if (token.what.role == Role::kAdmin && token.expires > now &&
      AdminsInForce(connection, now) == 1) {
    return absl::FailedPreconditionError(absl::StrCat(
        ToText(id), " is the last admin token in force: make another one before revoking it"));
  }
  Change(connection, "UPDATE tokens SET revoked_ns = ? WHERE id = ? AND revoked_ns IS NULL", now,
         id.value());
  return GetToken(connection, id);
}

void TouchToken(Connection& connection, absl::Time now, TokenId id) {
  Change(connection,
         "UPDATE tokens SET last_used_ns = ? WHERE id = ? "
         "AND (last_used_ns IS NULL OR last_used_ns <= ?)",
         now, id.value(), now - kTouchInterval);
}

}  // namespace burnish::store::sql
