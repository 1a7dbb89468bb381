// The compiler's words made fit for the user: errors first, our own lines and folders left out, and
// a plain sentence where the entry is missing or its arguments do not fit. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "agent/backends/backend.h"

namespace burnish::backends::cpu {

// The file name under which the generated call of the entry is compiled.
inline constexpr std::string_view kWrapperName = "burnish wrapper";

// At most limits::kOutcomeMessageBytes.
std::string CompileMessage(const CompileJob& job, std::string_view output,
                           const std::string& build_folder);

}  // namespace burnish::backends::cpu
