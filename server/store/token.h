// Bearer tokens as the store keeps them: never the secret, only its hash.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "common/base/ids.h"

namespace burnish::store {

enum class Role { kViewer, kSubmitter, kAgent, kAdmin };
const char* RoleName(Role role);  // "viewer"
std::optional<Role> ParseRole(std::string_view name);

struct NewToken {
  std::string name;
  std::string hash;    // SHA-256 of the secret, as hexadecimal digits
  std::string prefix;  // what people may see of the secret
  Role role = Role::kViewer;
  std::optional<std::vector<Namespace>> namespaces;  // absent: all
  absl::Duration lifetime;
};

struct Token {
  TokenId id;
  NewToken what;  // lifetime: expires - created
  absl::Time created;
  absl::Time expires;
  std::optional<absl::Time> last_used;
  std::optional<absl::Time> revoked;
};

}  // namespace burnish::store
