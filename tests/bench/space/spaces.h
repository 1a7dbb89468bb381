// Search spaces of published kernels, as job files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace burnish::bench {

struct KnownSpace {
  std::string_view name;
  std::string_view cartesian;  // decimal
  uint64_t valid = 0;
  double most_seconds = 0;  // of CPU time for construction on one thread
  std::string declaration;  // `constants`, `parameters` and `constraints` of a kernel
};

const std::vector<KnownSpace>& KnownSpaces();
// Of more than limits::kSpaceConfigurations configurations in one component.
std::string_view LazyDeclaration();
// A job file around a declaration.
std::string JobText(std::string_view declaration);

}  // namespace burnish::bench
