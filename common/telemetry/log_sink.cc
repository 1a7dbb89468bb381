#include "common/telemetry/log_sink.h"

#include <unistd.h>

#include <memory>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"
#include "spdlog/logger.h"
#include "spdlog/pattern_formatter.h"
#include "spdlog/sinks/stdout_color_sinks.h"
#include "spdlog/sinks/stdout_sinks.h"

namespace burnish::telemetry {
namespace {

// Loggers live for the whole process: threads may log to its very end, and through one that a later
// start has replaced.
std::vector<std::unique_ptr<spdlog::logger>>& Loggers() {
  static auto* const loggers = new std::vector<std::unique_ptr<spdlog::logger>>;
  return *loggers;
}
spdlog::logger* logger = nullptr;  // the last of them

spdlog::level::level_enum SpdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

void Write(const LogEvent& event, const std::string& message) {
  logger->log(absl::ToChronoTime(event.time), spdlog::source_loc{}, SpdlogLevel(event.level),
              spdlog::string_view_t(message));
}

void Install(spdlog::sink_ptr sink, const std::string& pattern, LogSink write) {
  logger =
      Loggers().emplace_back(std::make_unique<spdlog::logger>("burnish", std::move(sink))).get();
  logger->set_formatter(
      std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc));
  logger->set_level(spdlog::level::debug);  // what is below the level does not come here
  logger->flush_on(spdlog::level::debug);
  SetLogSink(write);
}

}  // namespace

void StartLog(const LogOptions& options) {
  const LogFormat format =
      options.format.value_or(::isatty(STDERR_FILENO) ? LogFormat::kText : LogFormat::kJson);
  if (format == LogFormat::kJson) {
    Install(std::make_shared<spdlog::sinks::stderr_sink_mt>(), "%v",
            [](const LogEvent& event) { Write(event, LogJson(event)); });
  } else {
    Install(std::make_shared<spdlog::sinks::stderr_color_sink_mt>(),
            "%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %v",
            [](const LogEvent& event) { Write(event, LogText(event)); });
  }
  SetLogLevelFromEnvironment();
  if (options.level.has_value()) SetLogLevel(*options.level);
}

std::string LogJson(const LogEvent& event) {
  nlohmann::ordered_json line;
  line["ts"] = absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", event.time, absl::UTCTimeZone());
  line["level"] = LogLevelName(event.level);
  line["event"] = std::string(event.name);
  for (const auto& [key, value] : event.fields) line[std::string(key)] = value;
  // What is not UTF-8 becomes U+FFFD instead of an exception.
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace burnish::telemetry
