#include "common/expr/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/diagnostic.h"
#include "common/base/limits.h"

namespace burnish::expr {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Bindings = std::map<std::string, Value, std::less<>>;

Expression MustParse(std::string_view text) {
  auto expression = Expression::Parse(text);
  EXPECT_TRUE(expression.ok()) << expression.status();
  return *std::move(expression);
}

std::vector<Value> InOrder(const Expression& expression, const Bindings& bindings) {
  std::vector<Value> values;
  for (const std::string& name : expression.names()) values.push_back(bindings.at(name));
  return values;
}

absl::StatusOr<Value> Evaluate(std::string_view text, const Bindings& bindings = {}) {
  const Expression expression = MustParse(text);
  return expression.Evaluate(InOrder(expression, bindings));
}

Expression Substituted(std::string_view text, const Bindings& constants) {
  return MustParse(text).Substitute([&](std::string_view name) -> std::optional<Value> {
    const auto found = constants.find(name);
    return found == constants.end() ? std::nullopt : std::optional<Value>(found->second);
  });
}

Value ListOf(std::vector<Value> values) {
  return std::make_shared<const std::vector<Value>>(std::move(values));
}

struct ErrorCase {
  std::string text;
  int column;
  std::string message;
  std::string hint;  // a part of it; empty: any
};

void ExpectError(const ErrorCase& expected, const absl::Status& status) {
  SCOPED_TRACE(expected.text);
  ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  const auto diagnostic = DiagnosticOf(status);
  ASSERT_TRUE(diagnostic.has_value());
  EXPECT_EQ(diagnostic->column, expected.column);
  EXPECT_EQ(diagnostic->message, expected.message);
  EXPECT_THAT(diagnostic->hint, HasSubstr(expected.hint));
  EXPECT_EQ(diagnostic->excerpt, expected.text);
}

TEST(ExpressionParseTest, SyntaxErrorsHaveAColumnAndHelp) {
  const ErrorCase cases[] = {
      {"", 1, "the expression is empty", ""},
      {"  ", 3, "the expression is empty", ""},
      {"a +", 4, "expected a value, found the end", ""},
      {"a + * b", 5, "expected a value, found '*'", ""},
      {"a)", 2, "unexpected ')'", ""},
      {"()", 2, "unexpected ')'", ""},
      {"(a + b", 7, "expected a closing ')'", "for the '(' at column 1"},
      {"min(a, (b)", 11, "expected a closing ')'", "for the '(' at column 4"},
      {"a in [1, 2", 11, "expected a closing ']'", "for the '[' at column 6"},
      {"(a]", 3, "expected a closing ')'", ""},
      {"(a, b)", 3, "unexpected ','", ""},
      {"(a b)", 4, "expected an operator before 'b'", ""},
      {"a b", 3, "expected an operator before 'b'", ""},
      {"a 2", 3, "expected an operator before '2'", ""},
      {"a AND b", 3, "expected an operator before 'AND'", "did you mean 'and'?"},
      {"a not b", 3, "expected an operator before 'not'", ""},
      {"a = b", 3, "'=' is not an operator", "did you mean '=='?"},
      {"a === b", 3, "'===' is not an operator", "did you mean '=='?"},
      {"a & b", 3, "'&' is not an operator", "did you mean '&&'?"},
      {"a | b", 3, "'|' is not an operator", "did you mean '||'?"},
      {"a ^ 2", 3, "'^' is not an operator", "'**'"},
      {"a << 2", 3, "'<<' is not an operator", "2 ** b"},
      {"a <> b", 3, "'<>' is not an operator", "did you mean '!='?"},
      {"a => b", 3, "'=>' is not an operator", "did you mean '>='?"},
      {"a # b", 3, "unexpected character '#'", ""},
      {"a × b", 3, "unexpected character '×'", ""},
      {"a.", 2, "unexpected character '.'", ""},
      {"minimum(a, b)", 1, "unknown function 'minimum'", "known: min, max"},
      {"ciel(a)", 1, "unknown function 'ciel'", "did you mean 'ceil'?"},
      {"min + 1", 1, "'min' is a function", "write min(...)"},
      {"a + ceil_div(a)", 5, "'ceil_div' takes 2 arguments, not 1", ""},
      {"abs(a, b)", 1, "'abs' takes 1 argument, not 2", ""},
      {"min(a)", 1, "'min' takes 2 or more arguments, not 1", ""},
      {"min()", 1, "'min' takes 2 or more arguments, not 0", ""},
      {"a if b", 7, "expected 'else', found the end", "A if CONDITION else B"},
      {"a ? b", 6, "expected ':', found the end", "CONDITION ? A : B"},
      {"a else b", 3, "unexpected 'else'", ""},
      {"1 + not a", 5, "'not' needs parentheses here", "write (not ...)"},
      {"a == !b", 6, "'!' needs parentheses here", "write (! ...)"},
      {"[1, 2]", 1, "a list may only stand on the right of 'in'", ""},
      {"1 in [[2]]", 7, "a list may only stand on the right of 'in'", ""},
      {"1 in [2] == true", 10, "unexpected '==' after a list", "parentheses"},
      {"1 in [2] + 1", 10, "unexpected '+' after a list", "parentheses"},
      {"x in [,]", 7, "expected a value, found ','", ""},
  };
  for (const ErrorCase& expected : cases) {
    ExpectError(expected, Expression::Parse(expected.text).status());
  }
}

TEST(ExpressionParseTest, MalformedLiteralsAreRefused) {
  const std::string number_hint = "numbers are written like";
  const ErrorCase cases[] = {
      {"n % 010", 5, "'010' begins with 0, which would mean octal elsewhere", "leading zeros"},
      {"00", 1, "'00' begins with 0, which would mean octal elsewhere", ""},
      {"1_000", 1, "'1_000' is not a valid number", number_hint},
      {"12ab", 1, "'12ab' is not a valid number", number_hint},
      {"0x", 1, "'0x' is not a valid number", number_hint},
      {"0xg", 1, "'0xg' is not a valid number", number_hint},
      {"0x1.8", 1, "'0x1.8' is not a valid number", number_hint},
      {"0b11", 1, "'0b11' is not a valid number", number_hint},
      {"1.2.3", 1, "'1.2.3' is not a valid number", number_hint},
      {"1e", 1, "'1e' is not a valid number", number_hint},
      {"1e+", 1, "'1e+' is not a valid number", number_hint},
      {"1e999", 1, "'1e999' is not a valid number", number_hint},
      {"9223372036854775808", 1, "the integer 9223372036854775808 is above 9223372036854775807",
       ""},
      {"-9223372036854775808 ** 1", 2,
       "the integer 9223372036854775808 is above 9223372036854775807", ""},
      {"-9223372036854775809", 2, "the integer 9223372036854775809 is above 9223372036854775807",
       ""},
      {"0x10000000000000000", 1, "the integer 0x10000000000000000 is above 9223372036854775807",
       ""},
      {"a == 'b", 6, "the string that begins here is not closed", "expected a closing '"},
      {"'b\\'", 1, "the string that begins here is not closed", ""},
      {"'a\\n'", 3, "unknown escape in a string", "\\\\"},
      {"'\\", 2, "unknown escape in a string", ""},
  };
  for (const ErrorCase& expected : cases) {
    ExpectError(expected, Expression::Parse(expected.text).status());
  }
}

TEST(ExpressionParseTest, BrokenUtf8IsRefusedByItsByte) {
  const auto status = Expression::Parse("a \xff b").status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("unexpected character '\\xff'"));
  EXPECT_EQ(DiagnosticOf(status)->column, 3);
}

TEST(ExpressionParseTest, NestingIsBounded) {
  const auto nest = [](const std::string& opening, int depth, const std::string& closing) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += opening;
    text += "1";
    for (int i = 0; i < depth; ++i) text += closing;
    return Expression::Parse(text).status();
  };
  const struct {
    std::string opening, closing;
  } forms[] = {{"(", ")"},      {"-", ""},     {"not ", ""},         {"2**", ""},
               {"1 in [", "]"}, {"abs(", ")"}, {"1 if 0 else ", ""}, {"0 ? 1 : ", ""}};
  for (const auto& form : forms) {
    SCOPED_TRACE(form.opening);
    EXPECT_TRUE(nest(form.opening, limits::kExpressionDepth / 2, form.closing).ok());
    const absl::Status status = nest(form.opening, limits::kExpressionDepth + 1, form.closing);
    EXPECT_THAT(std::string(status.message()), HasSubstr("nested more than 64 deep"));
  }
}

TEST(ExpressionParseTest, RepetitionIsNotNesting) {
  for (const std::string op : {" + ", " * ", " and ", " or ", " <= "}) {
    std::string text = "x";
    while (text.size() + op.size() + 1 <= limits::kExpressionBytes) text += op + "x";
    const auto value = Evaluate(text, {{"x", 1}});
    EXPECT_TRUE(value.ok()) << value.status();
  }
}

TEST(ExpressionParseTest, LengthIsBounded) {
  const std::string text(limits::kExpressionBytes + 1, ' ');
  EXPECT_THAT(std::string(Expression::Parse(text).status().message()),
              HasSubstr("longer than 4096 bytes"));
}

TEST(ExpressionNamesTest, StandInOrderOfFirstUse) {
  const Expression expression = MustParse("b * (a + label.rack) if a else b - c");
  EXPECT_THAT(expression.names(), ElementsAre("b", "a", "label.rack", "c"));
  EXPECT_EQ(expression.NameColumn(1), 6);
  EXPECT_EQ(expression.NameColumn(2), 10);
  EXPECT_EQ(expression.NameColumn(3), 36);
}

TEST(ExpressionNamesTest, IdentifiersAreNeitherWordsNorFunctions) {
  for (const char* good : {"BLOCK", "_x", "a1", "minimum", "Truely", "AND"}) {
    EXPECT_TRUE(IsIdentifier(good)) << good;
  }
  for (const char* bad : {"", "1a", "a.b", "a-b", "é", "and", "or", "not", "in", "if", "else",
                          "true", "False", "min", "ceil_div", "round_up", "log2"}) {
    EXPECT_FALSE(IsIdentifier(bad)) << bad;
  }
  EXPECT_TRUE(IsReservedWord("gcd"));
  EXPECT_FALSE(IsReservedWord("BLOCK"));
}

TEST(ExpressionEvaluateTest, FaultsHaveTheColumnOfTheirOperator) {
  const ErrorCase cases[] = {
      {"1 + 4 / 0", 7, "division by zero in '/'", ""},
      {"4 // 0", 3, "division by zero in '//'", ""},
      {"4 % 0.0", 3, "division by zero in '%'", ""},
      {"0 ** -1", 3, "division by zero in '**'", ""},
      {"ceil_div(1, 0)", 1, "division by zero in 'ceil_div'", ""},
      {"9223372036854775807 + 1", 21, "integer overflow in '+'", ""},
      {"-9223372036854775807 - 2", 22, "integer overflow in '-'", ""},
      {"2 * 4611686018427387904", 3, "integer overflow in '*'", ""},
      {"-2 ** 63", 4, "integer overflow in '**'", ""},
      {"2 ** 63", 3, "integer overflow in '**'", ""},
      {"pow(10, 19)", 1, "integer overflow in 'pow'", ""},
      {"3 * -(-9223372036854775808)", 5, "integer overflow in '-'", ""},
      {"-9223372036854775808 // -1", 22, "integer overflow in '//'", ""},
      {"abs(-9223372036854775808)", 1, "integer overflow in 'abs'", ""},
      {"gcd(-9223372036854775808, 0)", 1, "integer overflow in 'gcd'", ""},
      {"round_up(9223372036854775807, 2)", 1, "integer overflow in 'round_up'", ""},
      {"ceil(1e300)", 1, "integer overflow in 'ceil'", ""},
      {"1e300 * 1e300", 7, "the result of '*' is not a finite number", ""},
      {"(-8) ** 0.5", 6, "'**' of a negative number and a fraction is not a real number", ""},
      {"log2(0)", 1, "'log2' needs a positive number", ""},
      {"round_up(3, 0)", 1, "'round_up' needs a positive multiple", ""},
      {"1 + 'a'", 3, "'+' needs numbers, not an integer and a string", ""},
      {"-'a'", 1, "'-' needs numbers, not a string", ""},
      {"gcd(4, 2.0)", 1, "'gcd' needs integers, not an integer and a real", ""},
      {"1 < 'a'", 3, "'<' cannot order an integer and a string", ""},
      {"max(1, 'a')", 1, "'max' cannot order an integer and a string", ""},
      {"1 in 2", 3, "'in' needs a list on its right, not an integer", ""},
      {"1 not in 'abc'", 3, "'not in' looks for a string in a string, not for an integer", ""},
      {"1 in [1, 1 // 0]", 12, "division by zero in '//'", ""},
  };
  for (const ErrorCase& expected : cases) {
    ExpectError(expected, Evaluate(expected.text).status());
  }
}

TEST(ExpressionEvaluateTest, WhatIsNotNeededIsNotEvaluated) {
  EXPECT_TRUE(Evaluate("a == 0 or 4 % a == 0", {{"a", 0}}).ok());
  EXPECT_TRUE(Evaluate("a != 0 and 4 % a == 0", {{"a", 0}}).ok());
  EXPECT_TRUE(Evaluate("4 // a if a else 0", {{"a", 0}}).ok());
  EXPECT_TRUE(Evaluate("1 > 2 > 1 // a", {{"a", 0}}).ok());
  EXPECT_FALSE(Evaluate("1 > 0 > 1 // a", {{"a", 0}}).ok());
}

TEST(ExpressionEvaluateTest, BoundListsAndDottedNamesWork) {
  const Bindings device = {{"isa", ListOf({"avx2", "fma"})},
                           {"label.rack", "r7"},
                           {"name", "NVIDIA H100 PCIe"},
                           {"cores", 8}};
  const auto holds = [&](std::string_view text) {
    const Expression expression = MustParse(text);
    const auto result = expression.Test(InOrder(expression, device));
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() && *result;
  };
  EXPECT_TRUE(holds("'avx2' in isa and label.rack == 'r7'"));
  EXPECT_FALSE(holds("'avx512f' in isa"));
  EXPECT_TRUE(holds("'avx512f' not in isa && cores >= 8"));
  EXPECT_TRUE(holds("'H100' in name"));
  EXPECT_TRUE(holds("label.rack in ['r6', 'r' if cores < 8 else 'r7']"));
}

TEST(ExpressionEvaluateTest, ResultsOutliveTheValuesTheyCameFrom) {
  absl::StatusOr<Value> result = Value(0);
  {
    const std::string text(100, 'x');
    result = Evaluate("a if true else b", {{"a", text}, {"b", 1}});
  }
  EXPECT_EQ(std::get<std::string>(*result), std::string(100, 'x'));
}

TEST(ExpressionEvaluateTest, APredicateMustBeANumber) {
  EXPECT_TRUE(*MustParse("3").Test({}));
  EXPECT_FALSE(*MustParse("0.0").Test({}));
  ExpectError({"'yes'", 1, "expected true or false, the result is a string", "compare"},
              MustParse("'yes'").Test({}).status());
}

TEST(ExpressionEvaluateTest, AnIntegerMayBeAnIntegralReal) {
  EXPECT_EQ(*MustParse("2 ** 10").EvaluateInteger({}), 1024);
  EXPECT_EQ(*MustParse("1e6").EvaluateInteger({}), 1000000);
  EXPECT_EQ(*MustParse("6 / 3").EvaluateInteger({}), 2);
  ExpectError({"7 / 2", 1, "expected an integer, the result is 3.5", "'//'"},
              MustParse("7 / 2").EvaluateInteger({}).status());
  EXPECT_FALSE(MustParse("1e300").EvaluateInteger({}).ok());
  EXPECT_FALSE(MustParse("1 == 1").EvaluateInteger({}).ok());
  EXPECT_FALSE(MustParse("'1'").EvaluateInteger({}).ok());
}

TEST(ExpressionSubstituteTest, ReplacesNamesAndKeepsTheOthersInOrder) {
  const Expression expression = Substituted("c * n + b * n + a", {{"n", 4}, {"b", 2}});
  EXPECT_THAT(expression.names(), ElementsAre("c", "a"));
  EXPECT_EQ(expression.NameColumn(1), 17);
  EXPECT_EQ(expression.text(), "c * n + b * n + a");
  EXPECT_EQ(std::get<int64_t>(*expression.Evaluate(std::vector<Value>{10, 1})), 49);
}

TEST(ExpressionSubstituteTest, BecomesAConstantWhenNoNameIsLeft) {
  EXPECT_FALSE(MustParse("n + 1").Constant().has_value());
  const auto constant = Substituted("n + 1", {{"n", 4}}).Constant();
  ASSERT_TRUE(constant.has_value());
  EXPECT_EQ(std::get<int64_t>(**constant), 5);
}

TEST(ExpressionSubstituteTest, DropsNamesThatNoLongerMatter) {
  EXPECT_THAT(Substituted("use and x > 1", {{"use", false}}).names(), IsEmpty());
  EXPECT_THAT(Substituted("use and x > 1", {{"use", true}}).names(), ElementsAre("x"));
  EXPECT_THAT(Substituted("x > 1 or use or y", {{"use", true}}).names(), ElementsAre("x"));
  EXPECT_THAT(Substituted("x if use else y", {{"use", 1}}).names(), ElementsAre("x"));
  EXPECT_THAT(Substituted("use ? x : y", {{"use", 0}}).names(), ElementsAre("y"));
}

TEST(ExpressionSubstituteTest, NeverHidesAnError) {
  const auto constant = Substituted("1 // n", {{"n", 0}}).Constant();
  ASSERT_TRUE(constant.has_value());
  ExpectError({"1 // n", 3, "division by zero in '//'", ""}, constant->status());

  const Expression guarded = Substituted("x == 0 or 1 // n == x", {{"n", 0}});
  EXPECT_TRUE(guarded.Evaluate(std::vector<Value>{0}).ok());
  EXPECT_FALSE(guarded.Evaluate(std::vector<Value>{1}).ok());
}

TEST(ExpressionSubstituteTest, AcceptsListsAndStrings) {
  const Expression expression = Substituted("x in isa", {{"isa", ListOf({"avx2"})}});
  EXPECT_THAT(expression.names(), ElementsAre("x"));
  EXPECT_TRUE(*expression.Test(std::vector<Value>{"avx2"}));
  EXPECT_TRUE(*Substituted("x in [n, 2 * n]", {{"n", 4}}).Test(std::vector<Value>{8}));
}

}  // namespace
}  // namespace burnish::expr
