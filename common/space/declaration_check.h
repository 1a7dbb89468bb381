// What a search space is made of must be well formed before anything is constructed.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "common/expr/expression.h"
#include "common/space/parameter.h"

namespace burnish::space {

// InvalidArgument Diagnostics with the path `parameters.NAME` or `constraints[i]`.
absl::Status CheckParameters(const std::vector<Parameter>& parameters);
// Constraints use names of parameters only.
absl::Status CheckConstraints(const std::vector<Parameter>& parameters,
                              const std::vector<expr::Expression>& constraints);

}  // namespace burnish::space
