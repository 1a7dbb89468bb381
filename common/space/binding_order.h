// The order in which a search binds parameters.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/expr/circuit.h"
#include "common/expr/expression.h"
#include "common/space/parameter.h"

namespace burnish::space {

// The parameters of a component: again and again those that decide the condition with the fewest
// combinations left to try. `conditions` are the sets of parameters that they use, `domain_sizes`
// those of all parameters.
std::vector<size_t> BindingOrder(const std::vector<size_t>& component,
                                 const std::vector<size_t>& domain_sizes,
                                 std::vector<expr::Circuit::VariableSet> conditions);

// The parameters that a constraint uses, in the order of its names. All names must be known.
std::vector<size_t> ParametersOf(const expr::Expression& constraint,
                                 const std::vector<Parameter>& parameters);

}  // namespace burnish::space
