// A command in one line of text, as its words, without a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace burnish::agent {

// Words are separated by blanks. Between two ' everything is itself; between two " everything but
// \" and \\, which stand for " and \; elsewhere a \ makes the next character itself. There are no
// variables, patterns or comments. InvalidArgument Diagnostic for a quote that does not end.
absl::StatusOr<std::vector<std::string>> SplitCommand(std::string_view text);

}  // namespace burnish::agent
