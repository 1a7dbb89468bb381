#include "common/spec/python_list.h"

#include <gtest/gtest.h>

#include <string>

#include "common/base/diagnostic.h"

namespace burnish::spec {
namespace {

// The values as a list of ours, or the error.
std::string ListOf(std::string_view text) {
  const auto values = EvaluatePythonList(text);
  if (!values.ok()) return std::string(values.status().message());
  std::string list;
  for (const expr::Value& value : *values) list += expr::FormatValue(value) + " ";
  return list;
}

NamedLists SomeLists() {
  return {{"ProblemSize", {int64_t{4096}, int64_t{32}}}, {"width", {int64_t{3}, int64_t{15}}}};
}

std::string ValueOf(std::string_view text) {
  const auto expression = ParsePythonExpression(text, SomeLists());
  if (!expression.ok()) return std::string(expression.status().message());
  const auto value = expression->Evaluate({});
  return value.ok() ? expr::FormatValue(*value) : std::string(value.status().message());
}

TEST(PythonListTest, ListsRangesAndComprehensionsHaveTheValuesOfPython) {
  EXPECT_EQ(ListOf("[1, 2, 4,]"), "1 2 4 ");
  EXPECT_EQ(ListOf("[-1, 2.5, 'a,]', True, 7 // 2]"), "-1 2.5 'a,]' true 3 ");
  EXPECT_EQ(ListOf("list(range(3))"), "0 1 2 ");
  EXPECT_EQ(ListOf("range(32, 1, -10)"), "32 22 12 2 ");
  EXPECT_EQ(ListOf("[1, 2] + list(range(32, 96+1, 32))"), "1 2 32 64 96 ");
  EXPECT_EQ(ListOf("[2**i for i in range(0, 6)]"), "1 2 4 8 16 32 ");
  EXPECT_EQ(ListOf("[i for i in range(1, 8) if i % 2 == 0 if i != 4]"), "2 6 ");
  EXPECT_EQ(ListOf("[a*10 + b for a in [1, 2] for b in range(a)]"), "10 20 21 ");
  EXPECT_EQ(ListOf("[i if i > 1 else 7 for i in (1, 2)]"), "7 2 ");
  EXPECT_EQ(ListOf("[abs(-3), math.ceil(1.2), min(2, 1), 2 in [1, 2]]"), "3 2 1 true ");
}

TEST(PythonListTest, WhatIsNoListIsRefusedInWords) {
  EXPECT_NE(ListOf("3").find("is no list of values"), std::string::npos);
  EXPECT_FALSE(EvaluatePythonList("[1, [2]]").ok());
  EXPECT_NE(ListOf("__import__('os').system('id')").find("is no list"), std::string::npos);
  EXPECT_NE(ListOf("[open('x')]").find("open"), std::string::npos);
  EXPECT_NE(ListOf("[i for i in range(3)").find("is no list"), std::string::npos);
  EXPECT_NE(ListOf("range(0, 9, 0)").find("must not be 0"), std::string::npos);
  EXPECT_NE(ListOf("[i for (i, j) in [1]]").find("takes one name"), std::string::npos);
  EXPECT_NE(ListOf("[k]").find("unknown name 'k'"), std::string::npos);
}

TEST(PythonListTest, WorkIsBounded) {
  EXPECT_NE(ListOf("range(1000000000)").find("more than 4096 values"), std::string::npos);
  EXPECT_NE(ListOf("[i for i in range(4000) for j in range(4000) if i < 0]").find("too many steps"),
            std::string::npos);
  const std::string deep = std::string(5000, '[') + std::string(5000, ']');
  EXPECT_FALSE(EvaluatePythonList(deep).ok());
  std::string nested = "[1]";
  for (int i = 0; i < 40; ++i) nested = "list(" + nested + ")";
  EXPECT_NE(ListOf(nested).find("nested more than"), std::string::npos);
}

TEST(PythonListTest, ExpressionsUseListsByNameAndWrittenOut) {
  EXPECT_EQ(ValueOf("ProblemSize[0]*ProblemSize[1]"), "131072");
  EXPECT_EQ(ValueOf("(ProblemSize[0]+max(width)-1) * len(width) // min(width)"), "2740");
  EXPECT_EQ(ValueOf("6 in range(0, 9, 3) and not 4 in [2**i for i in range(2)]"), "true");
  EXPECT_NE(ValueOf("ProblemSize[2]").find("there are 2 values"), std::string::npos);
}

}  // namespace
}  // namespace burnish::spec
