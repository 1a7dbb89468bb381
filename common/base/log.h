// The log interface: an event name from a small vocabulary and key-value pairs, one line each on
// standard error. Thread-safe.
//
// Lines are plain text unless a program installs a sink of its own. What is logged may come from
// anywhere, so values are bounded in length (limits.h), and both kinds of sink escape control
// characters: a value can neither flood the log nor break out of its line.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/time/time.h"

namespace burnish {

enum class LogLevel { kDebug, kInfo, kWarning, kError };
enum class LogFormat { kText, kJson };

// What a program's flags say of its log; absent: the default.
struct LogOptions {
  std::optional<LogLevel> level;
  std::optional<LogFormat> format;
};

// Keys are words of ours, the same everywhere: job_id, attempt_id, session, agent …
using LogField = std::pair<std::string_view, std::string>;

// One event as a sink gets it.
struct LogEvent {
  absl::Time time;
  LogLevel level = LogLevel::kInfo;
  std::string_view name;
  std::span<const LogField> fields;  // with bounded values
};
using LogSink = void (*)(const LogEvent& event);

void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});

void SetLogLevel(LogLevel minimum);
// BURNISH_LOG: debug, info (the default), warning or error; anything else is said and ignored.
void SetLogLevelFromEnvironment();
// In place of plain text; called from any thread, several at once.
void SetLogSink(LogSink sink);

const char* LogLevelName(LogLevel level);  // "debug"
std::optional<LogLevel> ParseLogLevel(std::string_view name);
// `NAME key=value key="two words"`, values escaped.
std::string LogText(const LogEvent& event);

}  // namespace burnish
