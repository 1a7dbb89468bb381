// All valid configurations of a set of parameters under constraints.
//
// Constructed by depth-first search over the parameters in an order chosen for early pruning: each
// constraint is tested as soon as its last name is bound, and a prefix that fails is never
// extended. Configurations are kept as flat rows of value indices. Index order is lexicographic in
// the declared order of parameters and values, whatever order construction used. Immutable after
// Create, so thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/random.h"
#include "common/expr/expression.h"
#include "common/expr/value.h"

namespace burnish::space {

struct Parameter {
  std::string name;
  std::vector<expr::Value> values;  // distinct, none of them a list
};

// One value per parameter, by name. Canonical order is the declared one.
struct Setting {
  std::string name;
  expr::Value value;
};
using Configuration = std::vector<Setting>;

// JSON object with keys in the configuration's order: {"BLOCK": 32, "ORDER": "ij"}.
std::string ToJson(const Configuration& configuration);
// JSON object with sorted keys, no spaces: the identity of a configuration in the database.
std::string CanonicalJson(const Configuration& configuration);
absl::StatusOr<Configuration> ConfigurationFromJson(std::string_view json);
bool SameConfiguration(const Configuration& a, const Configuration& b);

using ConfigurationIndex = uint64_t;

class SearchSpace {
 public:
  // Constraints may use parameters and `constants` only (checked before, in common/spec).
  // Errors: InvalidArgument "the search space is empty: constraints[1] removes the last
  // configuration" (Diagnostic with path `constraints[1]`); a constraint that fails to evaluate
  // (division by zero) for some configuration, named; ResourceExhausted above
  // limits::kSpaceConfigurations.
  static absl::StatusOr<SearchSpace> Create(std::vector<Parameter> parameters,
                                            std::vector<expr::Expression> constraints);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<expr::Expression>& constraints() const { return constraints_; }
  uint64_t size() const { return size_; }
  // Product of the domain sizes, exact, in decimal digits.
  std::string CartesianSize() const;

  Configuration At(ConfigurationIndex index) const;
  // Nothing if it is not a valid configuration of this space.
  std::optional<ConfigurationIndex> IndexOf(const Configuration& configuration) const;
  // Uniform over the valid configurations.
  ConfigurationIndex Sample(RandomStream& random) const { return random.UniformBelow(size_); }

  // The first constraint (index) that `configuration` breaks; nothing if it breaks none.
  // InvalidArgument if it lacks a parameter, has an unknown one or a value outside its domain.
  absl::StatusOr<std::optional<size_t>> BrokenConstraint(const Configuration& configuration) const;

 private:
  SearchSpace() = default;
  std::vector<Parameter> parameters_;
  std::vector<expr::Expression> constraints_;
  uint64_t size_ = 0;
  std::vector<uint16_t> rows_;  // size_ rows of parameters_.size() value indices, sorted
};

// Share of the Cartesian product that satisfies each constraint alone; exact up to `max_exact`
// configurations of the constraint's own parameters, sampled above.
struct ConstraintShare {
  std::string text;
  double kept = 0;
  bool exact = true;
};
absl::StatusOr<std::vector<ConstraintShare>> AnalyseConstraints(
    const std::vector<Parameter>& parameters, const std::vector<expr::Expression>& constraints,
    uint64_t max_exact = 10'000'000);

}  // namespace burnish::space
