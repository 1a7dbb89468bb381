// Constructs a space: the components of its constraints, each enumerated where that can be done.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "common/expr/expression.h"
#include "common/space/component.h"
#include "common/space/construction_options.h"
#include "common/space/parameter.h"
#include "common/space/reduction.h"
#include "common/space/row_layout.h"

namespace burnish::space {

// The parts of a space, which is the product of its components. They refer to each other: not to be
// moved or copied.
struct Construction {
  std::vector<Parameter> parameters;
  std::vector<expr::Expression> constraints;
  RowLayout layout;
  Row fixed;  // the bits of parameters that have the same value in all configurations
  std::vector<size_t> fixed_parameters;  // those of them that were declared with several
  std::vector<Component> components;     // the first one counts most in the order of rows
  Reduction reduction;
};

// Parameters and the names in constraints must have been checked. Errors: see SearchSpace::Create.
absl::StatusOr<std::shared_ptr<const Construction>> Construct(
    std::vector<Parameter> parameters, std::vector<expr::Expression> constraints,
    const ConstructionOptions& options);

}  // namespace burnish::space
