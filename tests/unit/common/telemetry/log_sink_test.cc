#include "common/telemetry/log_sink.h"

#include <vector>

#include "common/base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace burnish::telemetry {
namespace {

LogEvent Event(const std::vector<LogField>& fields) {
  return {.time = absl::FromUnixMillis(1'800'000'000'123),
          .level = LogLevel::kWarning,
          .name = "worker_lost",
          .fields = fields};
}

TEST(LogJson, BeginsWithTheFixedKeysAndKeepsTheOrderOfFields) {
  EXPECT_EQ(LogJson(Event({{"job_id", "j1"}, {"attempt_id", "a"}})),
            R"({"ts":"2027-01-15T08:00:00.123Z","level":"warning","event":"worker_lost",)"
            R"("job_id":"j1","attempt_id":"a"})");
}

TEST(LogJson, StaysOneLineOfJsonWhateverTheValueIs) {
  for (const std::string value : {"two\nlines", "\x1b[2J", "\"}", "\xff\xc3", "\t\x01"}) {
    const std::string line = LogJson(Event({{"k", value}}));
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
    const auto parsed = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    ASSERT_TRUE(parsed.is_object()) << line;
    EXPECT_EQ(parsed.size(), 4u);
  }
}

TEST(StartLog, WritesJsonLinesWithBoundedValuesToStandardError) {
  testing::internal::CaptureStderr();
  StartLog({.level = LogLevel::kInfo, .format = std::nullopt});  // not a terminal
  const std::string secret_source(100'000, 'x');
  Log(LogLevel::kDebug, "hidden");
  Log(LogLevel::kInfo, "shown", {{"text", secret_source}});
  SetLogSink(nullptr);
  const std::string output = testing::internal::GetCapturedStderr();
  EXPECT_LT(output.size(), limits::kLogValueBytes + 200);
  const auto line = nlohmann::json::parse(output, nullptr, /*allow_exceptions=*/false);
  ASSERT_TRUE(line.is_object()) << output;
  EXPECT_EQ(line["event"], "shown");
}

TEST(StartLog, WritesTextIfAskedTo) {
  testing::internal::CaptureStderr();
  StartLog({.level = LogLevel::kInfo, .format = LogFormat::kText});
  Log(LogLevel::kError, "stopped", {{"reason", "two words"}});
  SetLogSink(nullptr);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::MatchesRegex("20[^ ]*Z error stopped reason=\"two words\"\n"));
}

}  // namespace
}  // namespace burnish::telemetry
