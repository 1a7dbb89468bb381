#include "server/store/token.h"

#include <utility>

namespace burnish::store {
namespace {

constexpr std::pair<Role, const char*> kRoles[] = {{Role::kViewer, "viewer"},
                                                   {Role::kSubmitter, "submitter"},
                                                   {Role::kAgent, "agent"},
                                                   {Role::kAdmin, "admin"}};

}  // namespace

const char* RoleName(Role role) {
  for (const auto& [known, name] : kRoles) {
    if (known == role) return name;
  }
  return "unknown";
}

std::optional<Role> ParseRole(std::string_view text) {
  for (const auto& [role, name] : kRoles) {
    if (text == name) return role;
  }
  return std::nullopt;
}

}  // namespace burnish::store
