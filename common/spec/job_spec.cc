#include "common/spec/job_spec.h"

namespace burnish::spec {

int64_t Argument::ElementCount() const {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  return count;
}

}  // namespace burnish::spec
