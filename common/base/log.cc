#include "common/base/log.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/environment.h"

namespace burnish {
namespace {

std::atomic<LogLevel> minimum_level = LogLevel::kInfo;
// Keeps long lines of two threads apart where the kernel would not.
ABSL_CONST_INIT absl::Mutex write_mutex(absl::kConstInit);

const char* LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "DEBUG";
    case LogLevel::kInfo:
      return "INFO";
    case LogLevel::kWarning:
      return "WARNING";
    case LogLevel::kError:
      return "ERROR";
  }
  return "?";
}

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

}  // namespace

void SetLogLevel(LogLevel minimum) { minimum_level = minimum; }

void SetLogLevelFromEnvironment() {
  const std::optional<std::string> wanted = EnvironmentVariable("BURNISH_LOG");
  if (!wanted.has_value() || wanted->empty()) return;
  for (const LogLevel level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}) {
    if (absl::EqualsIgnoreCase(*wanted, LevelName(level))) return SetLogLevel(level);
  }
  Log(LogLevel::kWarning, "log_level_unknown",
      {{"BURNISH_LOG", *wanted}, {"known", "debug, info, warning, error"}});
}

void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  if (level < minimum_level) return;
  std::string line = absl::StrCat(
      absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", SystemClock().Now(), absl::UTCTimeZone()), " ",
      LevelName(level), " ", std::string(event));
  for (const auto& [key, value] : fields) {
    line.append(" ").append(key).append("=");
    AppendValue(value, line);
  }
  line.push_back('\n');
  WriteLine(line);
}

}  // namespace burnish
