#include "common/base/utf8_text.h"

#include "gtest/gtest.h"

namespace burnish {
namespace {

TEST(Utf8Text, LeavesValidTextAlone) {
  for (const char* text : {"", "plain", "µs \xE2\x86\x92 \xF0\x9F\x98\x80"}) {
    EXPECT_EQ(Utf8Text(text), text);
  }
}

TEST(Utf8Text, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(Utf8Text("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(Utf8Text("\xE2\x86"), "\xEF\xBF\xBD\xEF\xBF\xBD");              // cut short
  EXPECT_EQ(Utf8Text("\xC0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD");              // overlong
  EXPECT_EQ(Utf8Text("\xED\xA0\x80").find("\xED"), std::string::npos);      // surrogate
  EXPECT_EQ(Utf8Text("\xF4\x90\x80\x80").find("\xF4"), std::string::npos);  // above U+10FFFF
}

}  // namespace
}  // namespace burnish
