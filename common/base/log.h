// The log interface: an event name from a small vocabulary and key-value pairs, one line each on
// standard error. Thread-safe.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace burnish {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

using LogField = std::pair<std::string_view, std::string>;

void SetLogLevel(LogLevel minimum);
// BURNISH_LOG: debug, info (the default), warning or error; anything else is said and ignored.
void SetLogLevelFromEnvironment();
void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});

}  // namespace burnish
