// The Python expressions of T1 files, evaluated by our own rules and never by Python: lists, range,
// list comprehensions and what the expression language has. Pure functions; work and results are
// bounded.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/expr/expression.h"
#include "common/expr/value.h"

namespace burnish::spec {

// Lists that expressions use by name, as NAME[0] or max(NAME).
using NamedLists = std::map<std::string, std::vector<expr::Value>, std::less<>>;

// `[1, 2, 4]`, `list(range(32, 1025, 32))`, `[2**i for i in range(6) if i != 3]`, and sums of
// lists. Errors are Diagnostics without a place.
absl::StatusOr<std::vector<expr::Value>> EvaluatePythonList(std::string_view text,
                                                            const NamedLists& lists = {});

// A condition or a size in Python, as an expression of ours: lists in it are written out, `math.`
// is dropped. Errors as of Expression::Parse.
absl::StatusOr<expr::Expression> ParsePythonExpression(std::string_view text,
                                                       const NamedLists& lists = {});

}  // namespace burnish::spec
