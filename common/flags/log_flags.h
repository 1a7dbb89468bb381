// --log-level and --log-format, the same for every long-running program.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "common/base/log.h"

namespace CLI {
class App;
}

namespace burnish {

// As typed.
struct LogFlags {
  std::string level;
  std::string format;
};

// `flags` outlives the parsing.
void DeclareLogFlags(CLI::App& app, LogFlags& flags);
// InvalidArgument Diagnostics for words that are neither a level nor a format.
absl::StatusOr<LogOptions> ReadLogFlags(const LogFlags& flags);

}  // namespace burnish
