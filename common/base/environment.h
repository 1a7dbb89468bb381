// The only door to the process's environment variables.
#pragma once

#include <optional>
#include <string>

namespace burnish {

std::optional<std::string> EnvironmentVariable(const std::string& name);
// First `name` found executable on PATH, as a full path; relative entries of PATH are skipped.
std::optional<std::string> FindProgram(const std::string& name);
// The folder of the running executable.
std::string ExecutableFolder();

}  // namespace burnish
