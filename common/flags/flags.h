// Command lines of the long-running programs: CLI11 parses, this turns what it finds wrong into
// our errors, with the nearest flag where one was mistyped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace CLI {
class App;
}

namespace burnish {

// What --help or --version prints.
struct InformationText {
  std::string text;
};

// Fills the variables that the app's options are bound to. `arguments` without the program's
// name. InvalidArgument Diagnostics for an unknown flag or a value that does not parse.
absl::StatusOr<std::optional<InformationText>> ParseFlags(
    CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace burnish
