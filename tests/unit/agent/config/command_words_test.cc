#include "agent/config/command_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/diagnostic.h"

namespace burnish::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SplitCommandTest, BlanksSeparateWords) {
  EXPECT_THAT(*SplitCommand("  ssh -T\tboard "), ElementsAre("ssh", "-T", "board"));
  EXPECT_THAT(*SplitCommand(" "), IsEmpty());
}

TEST(SplitCommandTest, QuotesAndBackslashesKeepThem) {
  EXPECT_THAT(*SplitCommand(R"(a 'b "c' "d 'e" f\ g "" h'i'"j")"),
              ElementsAre("a", "b \"c", "d 'e", "f g", "", "hij"));
  EXPECT_THAT(*SplitCommand(R"("a\"b\\c\d" 'e\f')"), ElementsAre(R"(a"b\c\d)", R"(e\f)"));
}

TEST(SplitCommandTest, NothingIsExpanded) {
  EXPECT_THAT(*SplitCommand("$HOME * ; | #"), ElementsAre("$HOME", "*", ";", "|", "#"));
}

TEST(SplitCommandTest, WhatDoesNotEndIsRefused) {
  EXPECT_THAT(DiagnosticOf(SplitCommand("a 'b").status())->message, HasSubstr("without its end"));
  EXPECT_TRUE(DiagnosticOf(SplitCommand("a \"b").status()).has_value());
  EXPECT_TRUE(DiagnosticOf(SplitCommand("a \\").status()).has_value());
}

}  // namespace
}  // namespace burnish::agent
