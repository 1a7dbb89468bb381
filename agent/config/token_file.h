// The agent's token: a file that holds nothing else.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace burnish::agent {

// InvalidArgument Diagnostics, naming the file, for one that others can read too, or that holds no
// one word.
absl::StatusOr<std::string> ReadTokenFile(const std::string& path);

}  // namespace burnish::agent
