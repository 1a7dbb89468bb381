// The order in which construction binds parameters.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/expr/expression.h"
#include "common/space/parameter.h"

namespace burnish::space {

// Indices of parameters: again and again those that decide the constraint with the fewest
// combinations left to try, and last those that no constraint uses.
std::vector<size_t> BindingOrder(const std::vector<Parameter>& parameters,
                                 std::span<const expr::Expression> constraints);

// The parameters that a constraint uses, in the order of its names. All names must be known.
std::vector<size_t> ParametersOf(const expr::Expression& constraint,
                                 const std::vector<Parameter>& parameters);

}  // namespace burnish::space
