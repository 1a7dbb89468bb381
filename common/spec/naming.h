// Which names the things of a job file may bear.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "common/spec/document.h"

namespace burnish::spec {

// Checks about a name that stands at `node`'s key (mappings) or value (all else); `what` is
// "a parameter".
//
// For functions and arguments of a kernel: an identifier of C++ that is no keyword.
absl::Status CheckCppName(const Node& node, const std::string& name, const std::string& what);
// For what expressions use: an identifier that the expression language does not use itself.
absl::Status CheckExpressionName(const Node& node, const std::string& name,
                                 const std::string& what);
// For what becomes a macro before a kernel's source: no keyword of a kernel language (C++,
// OpenCL C) and nothing reserved to compilers or to Burnish.
absl::Status CheckMacroName(const Node& node, const std::string& name, const std::string& what);

}  // namespace burnish::spec
