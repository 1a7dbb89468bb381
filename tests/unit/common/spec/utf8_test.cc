#include "common/spec/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace burnish::spec {
namespace {

TEST(Utf8Test, AcceptsTextOfEveryLength) {
  for (const std::string text : {"", "plain\ttext\r\n", "größer", "≤ 3", "🔥"}) {
    EXPECT_EQ(TextPrefix(text), text.size()) << text;
  }
}

TEST(Utf8Test, StopsAtWhatIsNotText) {
  const std::string bad[] = {
      std::string("ab\0", 3),
      "ab\x01",
      "ab\x7F",
      "ab\xFF",
      "ab\xC0\x80",
      "ab\xC3",
      "ab\xE2\x82",
      "ab\xED\xA0\x80",
      "ab\xF4\x90\x80\x80",
      "ab\xC2\x85",
      "ab\xF0\x80\x80\x80",
      "ab\xBF",
  };
  for (const std::string& text : bad)
    EXPECT_EQ(TextPrefix(text), 2u) << testing::PrintToString(text);
}

TEST(Utf8Test, CountsAndCutsCharacters) {
  EXPECT_EQ(CountCharacters("größer"), 6u);
  EXPECT_EQ(CutText("größer", 100), "größer");
  EXPECT_EQ(CutText("größer", 3), "gr");
  EXPECT_EQ(CutText("größer", 4), "grö");
}

}  // namespace
}  // namespace burnish::spec
