#include "common/base/log.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "absl/strings/str_split.h"
#include "common/base/limits.h"

namespace burnish {
namespace {

// What `Log` wrote, without the time in front, which is checked here.
std::vector<std::string> CapturedLines() {
  const std::string output = testing::internal::GetCapturedStderr();
  std::vector<std::string> lines = absl::StrSplit(output, '\n', absl::SkipEmpty());
  for (std::string& line : lines) {
    EXPECT_GT(line.size(), 25u) << line;
    EXPECT_EQ(line.substr(0, 2), "20");
    EXPECT_EQ(line.substr(23, 2), "Z ") << line;
    line.erase(0, 25);
  }
  return lines;
}

TEST(Log, WritesOneLinePerEvent) {
  testing::internal::CaptureStderr();
  Log(LogLevel::kInfo, "attached", {{"agent", "a1"}, {"devices", "2"}});
  Log(LogLevel::kError, "stopped");
  EXPECT_EQ(CapturedLines(),
            (std::vector<std::string>{"info attached agent=a1 devices=2", "error stopped"}));
}

TEST(Log, QuotesValuesSoThatLinesStayLines) {
  testing::internal::CaptureStderr();
  Log(LogLevel::kWarning, "e",
      {{"a", "two words"},
       {"b", ""},
       {"c", "say \"x\\y\""},
       {"d", "1\n2\x01"},
       {"f", "µs"},
       {"g", "k=v"}});
  EXPECT_EQ(CapturedLines(),
            (std::vector<std::string>{
                R"(warning e a="two words" b="" c="say \"x\\y\"" d="1\n2\x01" f=µs g="k=v")"}));
}

TEST(Log, CutsAValueThatIsTooLongBetweenTwoCharacters) {
  testing::internal::CaptureStderr();
  const std::string head(limits::kLogValueBytes - 1, 'x');
  Log(LogLevel::kInfo, "e", {{"v", head + "µ and a whole source file"}});
  EXPECT_EQ(CapturedLines(), std::vector<std::string>{"info e v=" + head + "…"});
}

TEST(Log, GoesToTheSinkThatWasInstalled) {
  static std::vector<std::string>& got = *new std::vector<std::string>;
  SetLogSink([](const LogEvent& event) { got.push_back(LogText(event)); });
  testing::internal::CaptureStderr();
  Log(LogLevel::kInfo, "e", {{"k", "v"}});
  SetLogSink(nullptr);
  EXPECT_EQ(CapturedLines(), std::vector<std::string>{});
  EXPECT_EQ(got, std::vector<std::string>{"e k=v"});
}

TEST(Log, LeavesOutWhatIsBelowTheLevel) {
  testing::internal::CaptureStderr();
  Log(LogLevel::kDebug, "hidden");
  SetLogLevel(LogLevel::kDebug);
  Log(LogLevel::kDebug, "shown");
  SetLogLevel(LogLevel::kError);
  Log(LogLevel::kWarning, "hidden");
  SetLogLevel(LogLevel::kInfo);
  EXPECT_EQ(CapturedLines(), std::vector<std::string>{"debug shown"});
}

TEST(Log, KeepsLinesOfThreadsApart) {
  testing::internal::CaptureStderr();
  const std::string value(limits::kLogValueBytes, 'x');
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 20; ++j) Log(LogLevel::kInfo, "e", {{"v", value}});
      });
    }
  }
  const std::vector<std::string> lines = CapturedLines();
  ASSERT_EQ(lines.size(), 80u);
  for (const std::string& line : lines) ASSERT_EQ(line, "info e v=" + value);
}

}  // namespace
}  // namespace burnish
