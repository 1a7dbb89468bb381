#include "common/base/ids.h"

#include <gtest/gtest.h>

namespace burnish {
namespace {

TEST(Ids, ReadBackFromTheirText) {
  EXPECT_EQ(ToText(JobId(42)), "j42");
  EXPECT_EQ(ParseJobId("j42"), JobId(42));
  EXPECT_EQ(ParseJobId("42"), JobId(42));
  const TaskId task{JobId(42), 1};
  EXPECT_EQ(ToText(task), "j42.1");
  EXPECT_EQ(ParseTaskId("j42.1"), task);
}

TEST(Ids, RefuseOtherTexts) {
  for (const char* text :
       {"", "j", "j0", "j-1", "j+1", "j 1", "j1x", "jj1", "k1", "j01", "j99999999999999999999"}) {
    EXPECT_EQ(ParseJobId(text), std::nullopt) << text;
  }
  for (const char* text : {"", "j42", "j42.", "j42.0", ".1", "j42.1.1", "j42.99999999999"}) {
    EXPECT_EQ(ParseTaskId(text), std::nullopt) << text;
  }
}

TEST(Ids, OfTokensAreReadBackOnlyAsWritten) {
  EXPECT_EQ(ToText(TokenId(3)), "t3");
  EXPECT_EQ(ParseTokenId("t3"), TokenId(3));
  for (const char* text : {"", "t", "3", "t0", "t3x", "j3"}) {
    EXPECT_EQ(ParseTokenId(text), std::nullopt) << text;
  }
}

TEST(Ids, OfImportsAreReadBackOnlyAsWritten) {
  EXPECT_EQ(ToText(ImportId(3)), "i3");
  EXPECT_EQ(ParseImportId("i3"), ImportId(3));
  for (const char* text : {"", "i", "3", "i0", "i3x", "j3"}) {
    EXPECT_EQ(ParseImportId(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace burnish
