// Errors and small text forms. Results go to standard output; errors, warnings and progress to
// standard error. With --json an error is one JSON line {code, message, hint, path}.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/cli/options.h"
#include "nlohmann/json.hpp"

namespace burnish::cli {

// Prints and returns the exit code that belongs to the status.
int PrintError(const absl::Status& status, const GlobalOptions& options);
int ExitCodeOf(const absl::Status& status);
void PrintWarning(const std::string& text, const GlobalOptions& options);

std::string DocumentText(const nlohmann::ordered_json& document);
// On standard output: a document, or one line of several.
void PrintDocument(const nlohmann::ordered_json& document);
void PrintLine(const nlohmann::ordered_json& document);

// An error if a file of that name exists and `force` is false. An empty name is standard output.
absl::Status CheckMayWrite(const std::string& path, bool force);

// Left-aligned columns, two spaces apart.
std::string FormatTable(const std::vector<std::vector<std::string>>& rows);

}  // namespace burnish::cli
