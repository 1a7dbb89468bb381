#include "common/base/log.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "common/base/clock.h"
#include "common/base/environment.h"
#include "common/base/limits.h"

namespace burnish {
namespace {

std::atomic<LogLevel> minimum_level = LogLevel::kInfo;
std::atomic<LogSink> installed_sink = nullptr;
// Keeps long lines of two threads apart where the kernel would not.
ABSL_CONST_INIT absl::Mutex write_mutex(absl::kConstInit);

constexpr LogLevel kLevels[] = {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning,
                                LogLevel::kError};

bool NeedsQuotes(std::string_view value) {
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 0x7f || c == '"' || c == '\\' || c == '=') return true;
  }
  return value.empty();
}

// Quoted so that a line stays a line and splits at its spaces; UTF-8 stays as it is.
void AppendValue(std::string_view value, std::string& line) {
  if (!NeedsQuotes(value)) {
    line.append(value);
    return;
  }
  line.push_back('"');
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      line.append({'\\', c});
    } else if (c == '\n') {
      line.append("\\n");
    } else if (byte < ' ' || byte == 0x7f) {
      absl::StrAppend(&line, "\\x", absl::Hex(byte, absl::kZeroPad2));
    } else {
      line.push_back(c);
    }
  }
  line.push_back('"');
}

void WriteLine(std::string_view line) {
  absl::MutexLock lock(&write_mutex);
  while (!line.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;  // nowhere to report it
    line.remove_prefix(static_cast<size_t>(written));
  }
}

void WriteText(const LogEvent& event) {
  WriteLine(absl::StrCat(absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", event.time, absl::UTCTimeZone()),
                         " ", LogLevelName(event.level), " ", LogText(event), "\n"));
}

// Cut between two characters; the rest is left out visibly.
std::string Bounded(const std::string& value) {
  if (value.size() <= limits::kLogValueBytes) return value;
  size_t end = limits::kLogValueBytes;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xc0) == 0x80) --end;
  return absl::StrCat(value.substr(0, end), "…");
}

}  // namespace

const char* LogLevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "?";
}

std::optional<LogLevel> ParseLogLevel(std::string_view name) {
  for (const LogLevel level : kLevels) {
    if (absl::EqualsIgnoreCase(std::string(name), LogLevelName(level))) return level;
  }
  return std::nullopt;
}

void SetLogLevel(LogLevel minimum) { minimum_level = minimum; }

void SetLogLevelFromEnvironment() {
  const std::optional<std::string> wanted = EnvironmentVariable("BURNISH_LOG");
  if (!wanted.has_value() || wanted->empty()) return;
  const std::optional<LogLevel> level = ParseLogLevel(*wanted);
  if (level.has_value()) return SetLogLevel(*level);
  Log(LogLevel::kWarning, "log_level_unknown",
      {{"BURNISH_LOG", *wanted}, {"known", "debug, info, warning, error"}});
}

void SetLogSink(LogSink sink) { installed_sink = sink; }

std::string LogText(const LogEvent& event) {
  std::string text(event.name);
  for (const auto& [key, value] : event.fields) {
    text.append(" ").append(key).append("=");
    AppendValue(value, text);
  }
  return text;
}

void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  if (level < minimum_level) return;
  std::vector<LogField> bounded;
  for (const auto& [key, value] : fields) bounded.emplace_back(key, Bounded(value));
  const LogSink sink = installed_sink;
  (sink != nullptr ? sink : WriteText)(
      {.time = SystemClock().Now(), .level = level, .name = event, .fields = bounded});
}

}  // namespace burnish
