#include "server/auth/token_text.h"

#include "common/base/hash.h"
#include "gtest/gtest.h"

namespace burnish::auth {
namespace {

TEST(TokenText, HasAPrefixThatScannersKnowAnd256Bits) {
  const std::string text = NewTokenText();
  EXPECT_TRUE(text.starts_with("burnish_"));
  EXPECT_EQ(text.size(), 8u + 64u);
  EXPECT_TRUE(IsTokenText(text));
  EXPECT_NE(NewTokenText(), text);
}

TEST(TokenText, OfAnotherFormIsNone) {
  const std::string text = NewTokenText();
  for (const std::string& other :
       {std::string(), std::string("burnish_"), text.substr(1), text + "0",
        text.substr(0, text.size() - 1) + "g", "x" + text, " " + text.substr(1)}) {
    EXPECT_FALSE(IsTokenText(other)) << other;
  }
}

TEST(TokenText, ShowsEightDigitsAndIsKeptAsItsHash) {
  const std::string text = "burnish_0123456789abcdef";
  EXPECT_EQ(VisiblePrefix(text), "01234567");
  EXPECT_EQ(HashOfToken(text), Sha256Hex(text));
}

TEST(TokenText, StandsInABearersHeader) {
  EXPECT_EQ(BearerToken("Bearer abc"), "abc");
  EXPECT_EQ(BearerToken("bearer abc"), "abc");
  EXPECT_EQ(BearerToken("Basic abc"), std::nullopt);
  EXPECT_EQ(BearerToken("Bearer"), std::nullopt);
  EXPECT_EQ(BearerToken(""), std::nullopt);
}

}  // namespace
}  // namespace burnish::auth
