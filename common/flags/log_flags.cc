#include "common/flags/log_flags.h"

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"

namespace burnish {

void DeclareLogFlags(CLI::App& app, LogFlags& flags) {
  app.add_option("--log-level", flags.level,
                 "debug, info, warning or error [$BURNISH_LOG, else info]");
  app.add_option("--log-format", flags.format,
                 "json or text, one line per event on standard error [text on a terminal, else "
                 "json]");
}

absl::StatusOr<LogOptions> ReadLogFlags(const LogFlags& flags) {
  LogOptions options;
  options.level = ParseLogLevel(flags.level);
  if (!options.level.has_value() && !flags.level.empty()) {
    return InvalidInput(absl::StrCat("--log-level ", flags.level, ": not a level"),
                        "write debug, info, warning or error");
  }
  if (flags.format == "json") {
    options.format = LogFormat::kJson;
  } else if (flags.format == "text") {
    options.format = LogFormat::kText;
  } else if (!flags.format.empty()) {
    return InvalidInput(absl::StrCat("--log-format ", flags.format, ": not a format"),
                        "write json or text");
  }
  return options;
}

}  // namespace burnish
