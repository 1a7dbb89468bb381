#include "common/space/search_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "common/base/diagnostic.h"
#include "common/space/neighbours.h"

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

TEST(SearchSpaceTest, IndependentParametersAreNeverMultipliedOut) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 10; ++i) parameters.push_back(Range("P" + std::to_string(i), 1, 10));
  const auto space = Create(std::move(parameters), {"P3 + P4 < 20"});
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_TRUE(space->Enumerable());
  EXPECT_EQ(space->size(), 9'900'000'000u);
  EXPECT_LT(space->Bytes(), 2000u);
  RandomStream random(1, "test");
  for (int i = 0; i < 100; ++i) {
    const ConfigurationIndex index = space->Sample(random);
    EXPECT_EQ(space->IndexOf(space->At(index)), index);
  }
  EXPECT_EQ(CanonicalJson(space->At(1)),
            R"({"P0":1,"P1":1,"P2":1,"P3":1,"P4":1,"P5":1,"P6":1,"P7":1,"P8":1,"P9":2})");
}

TEST(SearchSpaceTest, MoreConfigurationsThanIndicesAreRefused) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 20; ++i) parameters.push_back(Range("P" + std::to_string(i), 1, 10));
  const auto status = Create(std::move(parameters), {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("at most 9.2e18 can be numbered"));
}

TEST(SearchSpaceTest, ComponentsThatInterleaveAreOrderedByTheirFirstParameters) {
  const auto space = Create({Range("A", 1, 2), Range("B", 1, 2), Range("C", 1, 2)}, {"A != C"});
  ASSERT_TRUE(space.ok()) << space.status();
  std::string all;
  for (uint64_t i = 0; i < space->size(); ++i) all += CanonicalJson(space->At(i));
  EXPECT_EQ(all, R"({"A":1,"B":1,"C":2}{"A":1,"B":2,"C":2}{"A":2,"B":1,"C":1}{"A":2,"B":2,"C":1})");
}

TEST(SearchSpaceTest, PrunesWhatNoCompletionCanSatisfy) {
  // 10^12 combinations; without looking ahead 10^10 prefixes would be tried.
  std::vector<Parameter> parameters;
  for (int i = 0; i < 6; ++i) parameters.push_back(Range("P" + std::to_string(i), 1, 100));
  const auto space = Create(std::move(parameters), {"P0 * P1 * P2 * P3 * P4 * P5 <= 60"});
  ASSERT_TRUE(space.ok()) << space.status();
  uint64_t expected = 0;
  std::vector<uint64_t> products(61, 0);
  products[1] = 1;
  for (int i = 0; i < 6; ++i) {
    std::vector<uint64_t> next(61, 0);
    for (size_t a = 1; a <= 60; ++a) {
      for (size_t b = 1; a * b <= 60; ++b) next[a * b] += products[a];
    }
    products = next;
  }
  for (const uint64_t count : products) expected += count;
  EXPECT_EQ(space->size(), expected);
}

TEST(SearchSpaceTest, ThreadsChangeNothing) {
  const std::vector<Parameter> parameters = {Range("A", 1, 64), Range("B", 1, 64),
                                             Range("C", 1, 64), Range("D", 1, 32)};
  const auto constraints = Parse({"A * B % (C + D) == 0", "A + C > D", "(A // D) * D == A"});
  const auto one = SearchSpace::Create(parameters, constraints, {.threads = 1});
  const auto four = SearchSpace::Create(parameters, constraints, {.threads = 4});
  ASSERT_TRUE(one.ok() && four.ok()) << one.status() << four.status();
  ASSERT_EQ(one->size(), four->size());
  for (uint64_t i = 0; i < one->size(); ++i) ASSERT_EQ(one->RowAt(i), four->RowAt(i));
  // Also which configuration is named that cannot be evaluated.
  const auto failing = Parse({"A * B % (C + D) == 0", "A // (B - C) < D"});
  EXPECT_EQ(SearchSpace::Create(parameters, failing, {.threads = 1}).status(),
            SearchSpace::Create(parameters, failing, {.threads = 4}).status());
}

TEST(SearchSpaceTest, ALazySpaceEstimatesItsSizeAndRefusesProductsThatNoIndexHolds) {
  const std::vector<Parameter> parameters = {Range("A", 1, 40), Range("B", 1, 40),
                                             Range("C", 1, 40), Range("D", 1, 5)};
  const auto constraints = Parse({"A * B <= 300", "(B + C) % 3 == 0"});
  const auto listed = SearchSpace::Create(parameters, constraints);
  const auto lazy = SearchSpace::Create(parameters, constraints, {.max_rows = 1000});
  ASSERT_TRUE(listed.ok() && lazy.ok());
  EXPECT_TRUE(listed->Enumerable());
  EXPECT_FALSE(lazy->Enumerable());
  EXPECT_EQ(lazy->IndexEnd(), 40u * 40 * 40 * 5);
  EXPECT_NEAR(static_cast<double>(lazy->size()) / static_cast<double>(listed->size()), 1, 0.1);

  std::vector<Parameter> many = parameters;
  for (int i = 0; i < 12; ++i) many.push_back(Range("P" + std::to_string(i), 1, 100));
  const auto refused = SearchSpace::Create(many, constraints, {.max_rows = 1000});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("too large to number"));
}

TEST(SearchSpaceTest, ALazySpaceIsSampledNearUniformly) {
  // A descent alone would draw each A as often, but A = 8 has eight times the configurations.
  const std::vector<Parameter> parameters = {Range("A", 1, 8), Range("B", 1, 8)};
  const auto constraints = Parse({"B <= A"});
  const auto lazy = SearchSpace::Create(parameters, constraints, {.max_rows = 10});
  ASSERT_TRUE(lazy.ok()) << lazy.status();
  ASSERT_FALSE(lazy->Enumerable());
  constexpr double kDraws = 36'000;
  std::map<ConfigurationIndex, double> drawn;
  RandomStream random(7, "test");
  for (int i = 0; i < kDraws; ++i) ++drawn[lazy->Sample(random)];
  ASSERT_EQ(drawn.size(), 36u);
  double chi_square = 0;
  for (const auto& [index, count] : drawn) {
    EXPECT_NEAR(count, 1000, 150);
    chi_square += (count - 1000) * (count - 1000) / 1000;
  }
  std::printf("chi-square %.1f with 35 degrees of freedom\n", chi_square);
  EXPECT_LT(chi_square, 100);
}

TEST(SearchSpaceTest, NeighboursAndRepairWorkInALazySpace) {
  const std::vector<Parameter> parameters = {Range("A", 1, 20), Range("B", 1, 20),
                                             Range("C", 1, 20)};
  const auto constraints = Parse({"A * B == 60 or A + B + C == 20"});
  const auto listed = SearchSpace::Create(parameters, constraints);
  const auto lazy = SearchSpace::Create(parameters, constraints, {.max_rows = 10});
  ASSERT_TRUE(listed.ok() && lazy.ok());
  RandomStream random(3, "test");
  for (uint64_t i = 0; i < listed->size(); i += 7) {
    const auto index = lazy->IndexOf(listed->At(i));
    ASSERT_TRUE(index.has_value());
    EXPECT_EQ(HammingNeighbours(*lazy, *index).size(), HammingNeighbours(*listed, i).size());
    EXPECT_TRUE(lazy->Contains(WithRandomValue(*lazy, *index, random)));
  }
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
