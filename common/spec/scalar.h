// What a plain (unquoted) scalar of a job file means: true, false, an integer, a real, else a
// string. Narrower than YAML: what readers disagree about (010, 0x1F, .nan, inf) is refused.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/expr/value.h"

namespace burnish::spec {

// Errors are Diagnostics without a place.
absl::StatusOr<expr::Value> ReadPlainScalar(const std::string& text);

}  // namespace burnish::spec
