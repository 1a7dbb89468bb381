#include "common/spec/scalar.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace burnish::spec {
namespace {

expr::Value Typed(const std::string& text) {
  const absl::StatusOr<expr::Value> value = ReadPlainScalar(text);
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? *value : expr::Value(std::string("refused"));
}

TEST(ScalarTest, IntegersAreIntegers) {
  EXPECT_EQ(Typed("0"), expr::Value(int64_t{0}));
  EXPECT_EQ(Typed("-12"), expr::Value(int64_t{-12}));
  EXPECT_EQ(Typed("+12"), expr::Value(int64_t{12}));
  EXPECT_EQ(Typed("-9223372036854775808"), expr::Value(INT64_MIN));
}

TEST(ScalarTest, NumbersWithAPointOrExponentAreReals) {
  EXPECT_EQ(Typed("1.0"), expr::Value(1.0));
  EXPECT_EQ(Typed("-.5"), expr::Value(-0.5));
  EXPECT_EQ(Typed("2."), expr::Value(2.0));
  EXPECT_EQ(Typed("1e3"), expr::Value(1000.0));
  EXPECT_EQ(Typed("0.25E-1"), expr::Value(0.025));
}

TEST(ScalarTest, BooleansAreTrueAndFalseOnly) {
  EXPECT_EQ(Typed("true"), expr::Value(true));
  EXPECT_EQ(Typed("False"), expr::Value(false));
  EXPECT_EQ(Typed("yes"), expr::Value(std::string("yes")));
  EXPECT_EQ(Typed("off"), expr::Value(std::string("off")));
}

TEST(ScalarTest, EverythingElseIsAString) {
  for (const char* text : {"abc", "1_000", "12 * n", "-", "+", ".", "1e", "e5", "1.2.3", "--1",
                           "0y", "infinite", "512MB", "::", "-O3"}) {
    EXPECT_EQ(Typed(text), expr::Value(std::string(text))) << text;
  }
}

TEST(ScalarTest, WhatReadersDisagreeAboutIsRefused) {
  for (const char* text :
       {"010", "-007", "00.5", "0x1F", "0o17", "0b11", ".nan", "NaN", "-.inf", "inf", "+Infinity",
        "1e999", "9223372036854775808", "-9223372036854775809"}) {
    EXPECT_FALSE(ReadPlainScalar(text).ok()) << text;
  }
}

}  // namespace
}  // namespace burnish::spec
