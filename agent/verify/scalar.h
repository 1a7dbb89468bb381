// A scalar argument's value in the form a kernel takes it. Pure function.
#pragma once

#include "common/base/dtype.h"
#include "common/expr/value.h"

namespace burnish::verify {

// At most eight bytes.
void StoreScalar(Dtype dtype, const expr::Value& value, void* bytes);

}  // namespace burnish::verify
