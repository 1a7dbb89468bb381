// Construction against brute force on small random spaces.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/diagnostic.h"
#include "common/space/search_space.h"

namespace burnish::space {
namespace {

struct Declaration {
  std::vector<Parameter> parameters;
  std::vector<expr::Expression> constraints;
};

class RandomDeclarations {
 public:
  explicit RandomDeclarations(uint64_t seed) : random_(seed, "random spaces") {}

  Declaration Next() {
    Declaration declaration;
    const uint64_t parameters = 1 + random_.UniformBelow(5);
    for (uint64_t i = 0; i < parameters; ++i) {
      declaration.parameters.push_back({std::string(1, static_cast<char>('A' + i)), Domain()});
    }
    const uint64_t constraints = random_.UniformBelow(5);
    for (uint64_t i = 0; i < constraints; ++i) {
      declaration.constraints.push_back(*expr::Expression::Parse(Constraint(parameters)));
    }
    return declaration;
  }

 private:
  std::vector<expr::Value> Domain() {
    std::vector<expr::Value> values;
    const int64_t start = static_cast<int64_t>(random_.UniformBelow(4));
    const uint64_t count = 1 + random_.UniformBelow(6);
    for (uint64_t i = 0; i < count; ++i) {
      const int64_t value = start + static_cast<int64_t>(i);
      values.insert(values.begin() + static_cast<ptrdiff_t>(random_.UniformBelow(i + 1)), value);
    }
    if (random_.UniformBelow(8) == 0) values.emplace_back(0.5);
    if (random_.UniformBelow(20) == 0) return {0.5, 1.5, 2.0, 4.0};
    if (random_.UniformBelow(20) == 0) return {false, true};
    if (random_.UniformBelow(40) == 0) return {-3, 0, 2, -1};
    return values;
  }

  std::string Term(uint64_t parameters) {
    if (random_.UniformBelow(3) == 0) return std::to_string(random_.UniformBelow(9));
    return std::string(1, static_cast<char>('A' + random_.UniformBelow(parameters)));
  }

  std::string Constraint(uint64_t parameters) {
    static const char* const kArithmetic[] = {"+", "-", "*", "%", "//"};
    static const char* const kComparison[] = {"<=", ">", "!=", "==", ">=", "<"};
    std::string text = Term(parameters) + " " + kArithmetic[random_.UniformBelow(5)] + " " +
                       Term(parameters) + " " + kComparison[random_.UniformBelow(6)] + " " +
                       Term(parameters);
    switch (random_.UniformBelow(12)) {
      case 0:
        return text + " or " + Term(parameters) + " > 2";
      case 1:
        return text + " and " + Term(parameters) + " + " + Term(parameters) + " > 2";
      case 2:
        return "2 <= " + Term(parameters) + " * " + Term(parameters) + " < 2 * " +
               Term(parameters) + " + 9";
      case 3:
        return "not (" + text + ")";
      case 4:
        return Term(parameters) + " in [1, 2, " + Term(parameters) + ", 4.5]";
      case 5:
        return "(" + text + " if " + Term(parameters) + " > 3 else " + Term(parameters) + " < 5)";
      case 6:
        return "min(" + Term(parameters) + ", " + Term(parameters) + ") <= max(" +
               Term(parameters) + ", 2)";
      case 7:
        return Term(parameters) + " / " + Term(parameters) + " % " + Term(parameters) + " <= 1.5";
      case 8:
        return "abs(" + Term(parameters) + " - " + Term(parameters) + ") <= ceil_div(" +
               Term(parameters) + ", " + Term(parameters) + ") ** 2";
      case 9:
        return "gcd(" + Term(parameters) + ", 4) == round_up(" + Term(parameters) + ", " +
               Term(parameters) + ") - " + Term(parameters);
      default:
        return text;
    }
  }

  RandomStream random_;
};

// What each configuration of the Cartesian product is, in lexicographic order.
struct BruteForce {
  std::vector<Configuration> valid;
  bool has_error = false;      // one that no constraint removes and one cannot be evaluated for
  std::optional<size_t> last;  // the constraint after which nothing is left
};

BruteForce Enumerate(const Declaration& declaration) {
  BruteForce result;
  size_t longest_surviving = 0;  // constraints that some configuration gets past
  std::vector<size_t> odometer(declaration.parameters.size(), 0);
  while (true) {
    std::map<std::string, expr::Value> bindings;
    Configuration configuration;
    for (size_t i = 0; i < odometer.size(); ++i) {
      const Parameter& parameter = declaration.parameters[i];
      configuration.push_back({parameter.name, parameter.values[odometer[i]]});
      bindings[parameter.name] = parameter.values[odometer[i]];
    }
    bool is_error = false;
    size_t passed = 0;
    for (; passed < declaration.constraints.size(); ++passed) {
      const expr::Expression& constraint = declaration.constraints[passed];
      std::vector<expr::Value> arguments;
      for (const std::string& name : constraint.names()) arguments.push_back(bindings.at(name));
      const auto holds = constraint.Test(arguments);
      is_error = is_error || !holds.ok();
      if (holds.ok() && !*holds) break;
    }
    longest_surviving = std::max(longest_surviving, passed);
    if (passed == declaration.constraints.size()) {
      result.has_error = result.has_error || is_error;
      result.valid.push_back(configuration);
    }
    size_t digit = odometer.size();
    while (digit > 0 && ++odometer[digit - 1] == declaration.parameters[digit - 1].values.size()) {
      odometer[--digit] = 0;
    }
    if (digit == 0) break;
  }
  if (result.valid.empty()) result.last = longest_surviving;
  return result;
}

std::vector<std::string> Sorted(const std::vector<Configuration>& configurations) {
  std::vector<std::string> texts;
  for (const Configuration& configuration : configurations) {
    texts.push_back(CanonicalJson(configuration));
  }
  std::ranges::sort(texts);
  return texts;
}

// Both ways between indices and configurations, and membership of everything in the product.
void ExpectAgreement(const SearchSpace& space, const Declaration& declaration,
                     const BruteForce& expected) {
  std::vector<Configuration> found;
  for (uint64_t i = 0; i < space.IndexEnd(); ++i) {
    if (!space.Contains(i)) continue;
    found.push_back(space.At(i));
    EXPECT_EQ(space.IndexOf(found.back()), i);
    EXPECT_EQ(space.IndexOfRow(space.RowAt(i).data()), i);
  }
  ASSERT_EQ(Sorted(found), Sorted(expected.valid));
  Declaration free = declaration;
  free.constraints.clear();
  const std::vector<std::string> valid = Sorted(expected.valid);
  for (const Configuration& configuration : Enumerate(free).valid) {
    const bool is_valid = std::ranges::binary_search(valid, CanonicalJson(configuration));
    EXPECT_EQ(space.IndexOf(configuration).has_value(), is_valid);
    if (is_valid) {
      EXPECT_EQ(*space.BrokenConstraint(configuration), std::nullopt);
    }
  }
}

TEST(ConstructionPropertyTest, AgreesWithBruteForce) {
  constexpr uint64_t kSeed = 20240601;
  RandomDeclarations declarations(kSeed);
  std::map<std::string, int> histogram;
  for (int round = 0; round < 1000; ++round) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", round " + std::to_string(round));
    const Declaration declaration = declarations.Next();
    const BruteForce expected = Enumerate(declaration);
    const auto space = SearchSpace::Create(declaration.parameters, declaration.constraints);
    if (expected.has_error || expected.last.has_value()) {
      ASSERT_FALSE(space.ok());
      const auto diagnostic = DiagnosticOf(space.status());
      ASSERT_TRUE(diagnostic.has_value());
      ++histogram[expected.has_error ? "error" : "empty"];
      if (expected.last.has_value()) {
        EXPECT_EQ(diagnostic->path, "constraints[" + std::to_string(*expected.last) + "]");
      }
      continue;
    }
    ASSERT_TRUE(space.ok()) << space.status();
    ++histogram["valid, " + std::to_string(declaration.parameters.size()) + " parameters"];
    EXPECT_TRUE(space->Enumerable());
    ASSERT_EQ(space->size(), expected.valid.size());
    for (uint64_t i = 1; i < space->size(); ++i) EXPECT_LT(space->RowAt(i - 1), space->RowAt(i));
    ExpectAgreement(*space, declaration, expected);
    // The same where nothing is enumerated that has more than two configurations.
    const auto lazy =
        SearchSpace::Create(declaration.parameters, declaration.constraints, {.max_rows = 2});
    ASSERT_TRUE(lazy.ok()) << lazy.status();
    if (!lazy->Enumerable()) {
      ++histogram["lazy"];
      ExpectAgreement(*lazy, declaration, expected);
      RandomStream random(kSeed, "draws", static_cast<uint64_t>(round));
      for (int draw = 0; draw < 20; ++draw) EXPECT_TRUE(lazy->Contains(lazy->Sample(random)));
    }
    if (HasFatalFailure()) return;
  }
  for (const auto& [kind, count] : histogram) std::printf("%5d  %s\n", count, kind.c_str());
  EXPECT_GT(histogram["error"], 25);
  EXPECT_GT(histogram["empty"], 50);
  EXPECT_GT(histogram["lazy"], 100);
  EXPECT_GT(histogram["valid, 5 parameters"], 50);
}

}  // namespace
}  // namespace burnish::space
