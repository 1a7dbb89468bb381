#include "common/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace burnish::internal {

void FailCheck(const char* file, int line, const std::string& message) {
  std::fprintf(stderr, "%s:%d: %s\n", file, line, message.c_str());
  std::abort();
}

}  // namespace burnish::internal
