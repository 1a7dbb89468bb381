#include "common/expr/value.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "common/expr/expression.h"

namespace burnish::expr {
namespace {

Value ListOf(std::vector<Value> values) {
  return std::make_shared<const std::vector<Value>>(std::move(values));
}

TEST(ValueTest, NumbersOfAllTypesAreEqualByValue) {
  EXPECT_TRUE(Equal(Value(1), Value(1.0)));
  EXPECT_TRUE(Equal(Value(1), Value(true)));
  EXPECT_TRUE(Equal(Value(0.0), Value(false)));
  EXPECT_FALSE(Equal(Value(2), Value(true)));
  EXPECT_FALSE(Equal(Value(int64_t{9007199254740993}), Value(9007199254740992.0)));
  EXPECT_FALSE(Equal(Value(std::numeric_limits<int64_t>::max()), Value(0x1p63)));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(Equal(Value(nan), Value(nan)));
}

TEST(ValueTest, StringsEqualOnlyStrings) {
  EXPECT_TRUE(Equal(Value("a"), Value("a")));
  EXPECT_FALSE(Equal(Value("1"), Value(1)));
  EXPECT_FALSE(Equal(Value("true"), Value(true)));
}

TEST(ValueTest, ListsAreEqualElementByElement) {
  EXPECT_TRUE(Equal(ListOf({1, "a"}), ListOf({1.0, "a"})));
  EXPECT_FALSE(Equal(ListOf({1}), ListOf({1, 2})));
  EXPECT_FALSE(Equal(ListOf({1}), Value(1)));
}

TEST(ValueTest, IsFormattedAsWrittenInAJobFile) {
  EXPECT_EQ(FormatValue(true), "true");
  EXPECT_EQ(FormatValue(-3), "-3");
  EXPECT_EQ(FormatValue(2.0), "2.0");
  EXPECT_EQ(FormatValue(2.5), "2.5");
  EXPECT_EQ(FormatValue("it's"), "'it\\'s'");
  EXPECT_EQ(FormatValue(ListOf({1, "x", false})), "[1, 'x', false]");
}

TEST(ValueTest, IsBareForMacros) {
  EXPECT_EQ(FormatBare(true), "1");
  EXPECT_EQ(FormatBare(false), "0");
  EXPECT_EQ(FormatBare("float4"), "float4");
  EXPECT_EQ(FormatBare(16), "16");
  EXPECT_EQ(FormatBare(ListOf({"", "avx2"})), ",avx2");
}

TEST(ValueTest, WhatIsFormattedReadsBackAsTheSameValue) {
  const Value values[] = {
      true,    std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), 0.1, 1e300,
      -2.5e-7, "quote ' and \\ and \" and µ"};
  for (const Value& value : values) {
    const auto parsed = Expression::Parse(FormatValue(value));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    const auto read = parsed->Evaluate({});
    ASSERT_TRUE(read.ok());
    EXPECT_TRUE(Equal(*read, value)) << FormatValue(value);
    EXPECT_STREQ(TypeName(*read), TypeName(value));
  }
}

TEST(ValueTest, KnowsItsType) {
  EXPECT_STREQ(TypeName(Value(true)), "boolean");
  EXPECT_STREQ(TypeName(Value(1)), "integer");
  EXPECT_STREQ(TypeName(Value(1.5)), "real");
  EXPECT_STREQ(TypeName(Value("a")), "string");
  EXPECT_STREQ(TypeName(ListOf({})), "list");
  EXPECT_TRUE(IsNumber(Value(true)));
  EXPECT_FALSE(IsNumber(Value("1")));
}

}  // namespace
}  // namespace burnish::expr
