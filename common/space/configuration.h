// Configurations: one value per parameter, by name, and their JSON forms. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/expr/value.h"

namespace burnish::space {

struct Setting {
  std::string name;
  expr::Value value;  // not a list
};
// Canonical order is the declared one of the parameters.
using Configuration = std::vector<Setting>;

// JSON object with keys in the configuration's order: {"BLOCK": 32, "ORDER": "ij"}. Reals keep a
// point or an exponent, so that they read back as reals.
std::string ToJson(const Configuration& configuration);
// JSON object with sorted keys, no spaces: the identity of a configuration in the database.
std::string CanonicalJson(const Configuration& configuration);
// Keeps the order of the keys. Refuses duplicate keys, null, lists and objects as values, and
// integers beyond 64 bits.
absl::StatusOr<Configuration> ConfigurationFromJson(std::string_view json);
// The same names with equal values (expr::Equal), in whatever order.
bool SameConfiguration(const Configuration& a, const Configuration& b);

}  // namespace burnish::space
