// Which of a kernel's own compiler flags are accepted: those that choose language, optimisation,
// target and macros, but none that can read or write other files or load code into the compiler.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace burnish::backends::cpu {

// The first flag that is not accepted.
std::optional<std::string> RefusedFlag(const std::vector<std::string>& flags);

}  // namespace burnish::backends::cpu
