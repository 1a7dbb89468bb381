#include "common/flags/log_flags.h"

#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish {
namespace {

using ::testing::HasSubstr;

TEST(LogFlags, AreOptional) {
  const auto options = ReadLogFlags({});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_FALSE(options->level.has_value());
  EXPECT_FALSE(options->format.has_value());
}

TEST(LogFlags, NameALevelAndAFormat) {
  const auto options = ReadLogFlags({.level = "warning", .format = "json"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->level, LogLevel::kWarning);
  EXPECT_EQ(options->format, LogFormat::kJson);
}

TEST(LogFlags, RefuseOtherWords) {
  EXPECT_THAT(DiagnosticOf(ReadLogFlags({.level = "loud"}).status())->hint, HasSubstr("warning"));
  EXPECT_THAT(DiagnosticOf(ReadLogFlags({.format = "xml"}).status())->hint, HasSubstr("json"));
}

}  // namespace
}  // namespace burnish
