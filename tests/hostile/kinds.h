// The hostile kernels of this folder and what has to become of each. They all compute the same, or
// pretend to: twice the input and an eighth, over 4,096 floats.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace burnish::hostile {

struct Kind {
  std::string name;                // of its file in kernels/
  std::set<std::string> outcomes;  // any of them is right
};

// The first one is harmless.
const std::vector<Kind>& Kinds();

// One source of all kernels, which the macro KIND chooses from. `macros` are put before them.
std::string CombinedSource(const std::string& macros);

}  // namespace burnish::hostile
