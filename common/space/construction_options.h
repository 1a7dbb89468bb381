// How a space is constructed.
#pragma once

#include <cstdint>

#include "common/base/limits.h"

namespace burnish::space {

struct ConstructionOptions {
  int threads = 0;  // 0: as many as there are cores; small spaces take one anyway
  // Components of more configurations are not enumerated.
  uint64_t max_rows = limits::kSpaceConfigurations;
};

}  // namespace burnish::space
