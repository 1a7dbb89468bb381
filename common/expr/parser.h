// The grammar of the expression language, as operator precedence (Pratt), Python's levels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/expr/program.h"

namespace burnish::expr {

struct ParsedExpression {
  Program program;
  std::vector<std::string> names;  // in order of first use
};

// Nothing is folded: every name of the text is in `names`.
absl::StatusOr<ParsedExpression> ParseProgram(std::string_view text);

}  // namespace burnish::expr
