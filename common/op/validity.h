// Whether a description may be worked with: what comes from elsewhere is checked once, so that
// nobody who uses an Operator needs to.
#pragma once

#include "absl/status/status.h"
#include "common/op/operator.h"

namespace burnish::op {

// InvalidArgument that names the member, unless every index names something that exists, every
// unguarded access stays within its tensor, the output is written once at every place, sizes are
// within limits.h, and no computation about the operator can overflow. True of all that Einsum()
// makes.
absl::Status CheckOperator(const Operator& op);

}  // namespace burnish::op
