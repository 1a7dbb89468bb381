// Constructs the valid configurations of a space as packed rows.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "common/expr/expression.h"
#include "common/space/parameter.h"
#include "common/space/row_layout.h"

namespace burnish::space {

// Rows in ascending order, one behind the other. Parameters and the names in constraints must have
// been checked. Errors: see SearchSpace::Create.
absl::StatusOr<std::vector<uint64_t>> ConstructRows(
    const std::vector<Parameter>& parameters, const std::vector<expr::Expression>& constraints,
    const RowLayout& layout);

}  // namespace burnish::space
