// Statements on tokens. Each runs inside the caller's transaction and may throw Failure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/store/sql/query.h"
#include "server/store/store.h"

namespace burnish::store::sql {

absl::StatusOr<Token> CreateToken(Connection& connection, absl::Time now, const NewToken& token);
absl::StatusOr<std::optional<Token>> FindToken(Connection& connection, const std::string& hash);
absl::StatusOr<std::vector<Token>> Tokens(Connection& connection);
bool AnyToken(Connection& connection);
absl::StatusOr<Token> RevokeToken(Connection& connection, absl::Time now, TokenId id);
void TouchToken(Connection& connection, absl::Time now, TokenId id);

}  // namespace burnish::store::sql
