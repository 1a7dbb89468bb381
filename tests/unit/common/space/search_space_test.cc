#include "common/space/search_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "common/base/diagnostic.h"

namespace burnish::space {
namespace {

using ::testing::HasSubstr;

std::vector<expr::Expression> Parse(const std::vector<std::string>& texts) {
  std::vector<expr::Expression> constraints;
  for (const std::string& text : texts) {
    auto expression = expr::Expression::Parse(text);
    EXPECT_TRUE(expression.ok()) << expression.status();
    constraints.push_back(*std::move(expression));
  }
  return constraints;
}

absl::StatusOr<SearchSpace> Create(std::vector<Parameter> parameters,
                                   const std::vector<std::string>& constraints) {
  return SearchSpace::Create(std::move(parameters), Parse(constraints));
}

Parameter Range(const std::string& name, int64_t first, int64_t last) {
  Parameter parameter{.name = name, .values = {}};
  for (int64_t value = first; value <= last; ++value) parameter.values.emplace_back(value);
  return parameter;
}

const std::vector<Parameter> kVectorAdd = {{"BLOCK", {32, 64, 128, 256}}, {"VEC", {1, 2, 4, 8}}};

void ExpectDiagnostic(const absl::Status& status, const std::string& path,
                      const std::string& message) {
  const auto diagnostic = DiagnosticOf(status);
  ASSERT_TRUE(diagnostic.has_value()) << status;
  EXPECT_EQ(diagnostic->path, path);
  EXPECT_EQ(diagnostic->message, message);
}

TEST(SearchSpaceTest, HoldsTheValidConfigurationsInDeclaredOrder) {
  const auto space = Create(kVectorAdd, {"BLOCK * VEC <= 128"});
  ASSERT_TRUE(space.ok()) << space.status();
  std::string all;
  for (uint64_t i = 0; i < space->size(); ++i) all += CanonicalJson(space->At(i));
  EXPECT_EQ(all,
            R"({"BLOCK":32,"VEC":1}{"BLOCK":32,"VEC":2}{"BLOCK":32,"VEC":4}{"BLOCK":64,"VEC":1})"
            R"({"BLOCK":64,"VEC":2}{"BLOCK":128,"VEC":1})");
  EXPECT_EQ(space->CartesianSize(), "16");
}

TEST(SearchSpaceTest, FindsConfigurationsByEqualValuesInAnyOrder) {
  const auto space = Create(kVectorAdd, {"BLOCK * VEC <= 128"});
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(space->IndexOf({{"VEC", 2.0}, {"BLOCK", 64}}), 4u);
  EXPECT_EQ(space->IndexOf({{"BLOCK", 32}, {"VEC", true}}), 0u);
  EXPECT_EQ(space->IndexOf({{"BLOCK", 256}, {"VEC", 8}}), std::nullopt);
  EXPECT_EQ(space->IndexOf({{"BLOCK", 64}}), std::nullopt);
  EXPECT_EQ(space->IndexOf({{"BLOCK", 64}, {"VEC", 3}}), std::nullopt);
  EXPECT_EQ(space->IndexOf({{"BLOCK", 64}, {"VEC", 1}, {"X", 1}}), std::nullopt);
}

TEST(SearchSpaceTest, KeepsTheDeclaredTypeOfValues) {
  const auto space = Create({{"SCALE", {1.0, 2.5}}, {"FAST", {true, false}}, {"O", {"ij"}}}, {});
  ASSERT_TRUE(space.ok()) << space.status();
  const auto index = space->IndexOf({{"O", "ij"}, {"SCALE", 1}, {"FAST", 0}});
  ASSERT_TRUE(index.has_value());
  EXPECT_EQ(CanonicalJson(space->At(*index)), R"({"FAST":false,"O":"ij","SCALE":1.0})");
}

TEST(SearchSpaceTest, WithoutParametersHasOneConfiguration) {
  const auto space = Create({}, {"1 < 2"});
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(space->size(), 1u);
  EXPECT_EQ(space->CartesianSize(), "1");
  EXPECT_TRUE(space->At(0).empty());
  EXPECT_EQ(space->IndexOf({}), 0u);
}

TEST(SearchSpaceTest, EmptySpaceNamesTheConstraintThatRemovesTheLastConfiguration) {
  ExpectDiagnostic(Create(kVectorAdd, {"BLOCK > 32", "BLOCK * VEC < 64", "VEC == 1"}).status(),
                   "constraints[1]",
                   "the search space is empty: constraints[1] removes the last configuration");
  ExpectDiagnostic(Create(kVectorAdd, {"VEC > 8", "BLOCK > 32"}).status(), "constraints[0]",
                   "the search space is empty: constraints[0] removes the last configuration");
  ExpectDiagnostic(Create(kVectorAdd, {"VEC > 1", "BLOCK > 32", "1 > 2"}).status(),
                   "constraints[2]",
                   "the search space is empty: constraints[2] removes the last configuration");
}

TEST(SearchSpaceTest, AnEvaluationErrorNamesConstraintPlaceAndConfiguration) {
  const auto status =
      Create({Range("A", 1, 3), Range("B", 0, 2)}, {"A > 0", "A % B == 0"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  ExpectDiagnostic(status, "constraints[1]", "division by zero in '%' where A = 1, B = 0");
  EXPECT_EQ(DiagnosticOf(status)->column, 3);
  EXPECT_EQ(DiagnosticOf(status)->excerpt, "A % B == 0");
}

TEST(SearchSpaceTest, AnEvaluationErrorCountsOnlyWhereNoOtherConstraintRemoves) {
  // Whatever the order of the constraints, and also when the other one is decided later.
  for (const auto& constraints : {std::vector<std::string>{"A % B == 0", "B != 0"},
                                  std::vector<std::string>{"B != 0", "A % B == 0"},
                                  std::vector<std::string>{"A % B == 0", "B + C >= 11"}}) {
    const auto space =
        Create({Range("A", 1, 4), Range("B", 0, 2), Range("C", 10, 10)}, constraints);
    ASSERT_TRUE(space.ok()) << space.status();
    EXPECT_EQ(space->size(), 6u);
  }
}

TEST(SearchSpaceTest, EmptinessIsFoundAlsoWhereAConstraintCannotBeEvaluated) {
  ExpectDiagnostic(Create({Range("A", 1, 2), Range("B", 0, 0)}, {"A % B == 0", "B > 0"}).status(),
                   "constraints[1]",
                   "the search space is empty: constraints[1] removes the last configuration");
}

TEST(SearchSpaceTest, TooManyConfigurationsAreRefusedBeforeTheyAreMade) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 10; ++i) parameters.push_back(Range("P" + std::to_string(i), 1, 10));
  const auto status = Create(std::move(parameters), {"P3 + P4 < 20"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("more than 50000000 valid"));
}

TEST(SearchSpaceTest, HandlesProductsBeyondEveryIntegerType) {
  // 4095^60 configurations, eight of them valid.
  std::vector<Parameter> parameters;
  std::vector<std::string> constraints;
  Configuration last;
  for (int i = 0; i < 60; ++i) {
    const std::string name = "P" + std::to_string(i);
    parameters.push_back(Range(name, 1, 4095));
    constraints.push_back(name + " > 4094 or " + name + " < 2 and " + (i < 3 ? "true" : "false"));
    last.push_back({name, 4095});
  }
  // The last parameter is bound first, so that rows are found out of order.
  std::reverse(constraints.begin(), constraints.end());
  const auto space = Create(std::move(parameters), constraints);
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(space->CartesianSize(),
            "54354357411074426375790793140279554235516709150918433479064146503733906032550984"
            "94236609594103189772389582102360880671559295222310106595433892395330556689192310"
            "406210456879758964598980952587226056493818759918212890625");
  EXPECT_EQ(space->size(), 8u);
  EXPECT_EQ(space->IndexOf(last), 7u);
  last[0].value = 1;
  EXPECT_EQ(space->IndexOf(last), 3u);
  for (uint64_t i = 0; i < space->size(); ++i) EXPECT_EQ(space->IndexOf(space->At(i)), i);
}

TEST(SearchSpaceTest, BrokenConstraintIsTheFirstListed) {
  const auto space =
      Create({Range("A", 1, 4), Range("B", 0, 4)}, {"B != 0", "A % B == 0", "A + B < 8"});
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(*space->BrokenConstraint({{"A", 4}, {"B", 2}}), std::nullopt);
  EXPECT_EQ(*space->BrokenConstraint({{"A", 4}, {"B", 0}}), 0u);
  EXPECT_EQ(*space->BrokenConstraint({{"B", 3}, {"A", 4}}), 1u);
  EXPECT_EQ(*space->BrokenConstraint({{"A", 4}, {"B", 4}}), 2u);
}

TEST(SearchSpaceTest, BrokenConstraintRefusesForeignConfigurations) {
  const auto space = Create(kVectorAdd, {});
  ASSERT_TRUE(space.ok()) << space.status();
  const auto message = [&](const Configuration& configuration) {
    const auto broken = space->BrokenConstraint(configuration);
    EXPECT_EQ(broken.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(broken.status().message());
  };
  EXPECT_EQ(message({{"BLOCK", 32}}), "parameter 'VEC' is missing");
  EXPECT_EQ(message({{"BLOCK", 32}, {"VEK", 1}}), "unknown parameter 'VEK'");
  EXPECT_EQ(message({{"BLOCK", 33}, {"VEC", 1}}), "33 is not a value of parameter 'BLOCK'");
  EXPECT_EQ(message({{"VEC", 1}, {"VEC", 1}}), "parameter 'VEC' is set twice");
}

TEST(SearchSpaceTest, MalformedDeclarationsAreRefused) {
  ExpectDiagnostic(Create({{"A", {}}}, {}).status(), "parameters.A", "'A' has no values");
  ExpectDiagnostic(Create({{"A", {1}}, {"A", {2}}}, {}).status(), "parameters.A",
                   "'A' is declared twice");
  ExpectDiagnostic(Create({{"A", {2, "x", 1, 2.0}}}, {}).status(), "parameters.A",
                   "'A' has the value 2 twice");
  ExpectDiagnostic(Create({{"A", {0, false}}}, {}).status(), "parameters.A",
                   "'A' has the value 0 twice");
  EXPECT_FALSE(Create({{"A", {std::numeric_limits<double>::quiet_NaN()}}}, {}).ok());
  EXPECT_TRUE(Create({{"A", {"1", 1, "a", "b"}}}, {}).ok());
  const auto status = Create(kVectorAdd, {"true", "BLCK > 1"}).status();
  ExpectDiagnostic(status, "constraints[1]", "unknown name 'BLCK'");
  EXPECT_EQ(DiagnosticOf(status)->hint, "did you mean 'BLOCK'?");
}

TEST(SearchSpaceTest, SamplesUniformlyOverTheValidConfigurations) {
  // Very uneven subtrees: sampling value by value would prefer A = 1.
  const auto space = Create({Range("A", 1, 8), Range("B", 1, 8)}, {"B <= A * A"});
  ASSERT_TRUE(space.ok()) << space.status();
  const uint64_t cells = space->size();
  ASSERT_EQ(cells, 1u + 4 + 6 * 8);
  RandomStream random(7, "sample test");
  std::vector<double> counts(cells, 0);
  const double expected = 1000;
  for (uint64_t i = 0; i < cells * 1000; ++i) ++counts[space->Sample(random)];
  double chi_square = 0;
  for (const double count : counts)
    chi_square += (count - expected) * (count - expected) / expected;
  std::printf("chi-square %.1f with %d degrees of freedom\n", chi_square,
              static_cast<int>(cells - 1));
  EXPECT_LT(chi_square, 86.7);  // the 0.1 % quantile for 52 degrees of freedom
  EXPECT_GT(chi_square, 24);    // too even is not random either
}

}  // namespace
}  // namespace burnish::space
