// All valid configurations of a set of parameters under constraints.
//
// Constructed by depth-first search over the parameters in an order chosen for early pruning: each
// constraint is tested as soon as its last name is bound, and a prefix that fails is never
// extended. Configurations are kept as packed rows of value indices, 8 bytes each in most spaces.
// Index order is lexicographic in the declared order of parameters and values, whatever order
// construction used. Immutable after Create, so thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/random.h"
#include "common/expr/expression.h"
#include "common/space/configuration.h"
#include "common/space/parameter.h"
#include "common/space/row_layout.h"

namespace burnish::space {

using ConfigurationIndex = uint64_t;

class SearchSpace {
 public:
  // Constraints may use parameters only (constants have been substituted). Errors are Diagnostics:
  // - InvalidArgument "the search space is empty: constraints[1] removes the last configuration",
  //   path `constraints[1]`: the first one that, with those listed before it, leaves nothing;
  // - InvalidArgument "division by zero in '%' where A = 0", path `constraints[1]`: it cannot be
  //   evaluated for a configuration that no other constraint removes;
  // - ResourceExhausted above limits::kSpaceConfigurations or kSpaceConstructionSteps;
  // - InvalidArgument for parameters without values or with equal ones, and for unknown names.
  static absl::StatusOr<SearchSpace> Create(std::vector<Parameter> parameters,
                                            std::vector<expr::Expression> constraints);

  // The configurations of a list, such as those that somebody has measured: for each one the index
  // of each parameter's value, which must lie in its domain. InvalidArgument if none is given or
  // one twice, and for parameters as above.
  static absl::StatusOr<SearchSpace> Listed(
      std::vector<Parameter> parameters, const std::vector<std::vector<uint32_t>>& configurations);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<expr::Expression>& constraints() const { return constraints_; }
  uint64_t size() const { return size_; }
  // Product of the domain sizes, exact, in decimal digits.
  std::string CartesianSize() const;

  // The configuration in declared order, with the values as declared; index < size().
  Configuration At(ConfigurationIndex index) const;
  // Nothing if it is not a valid configuration of this space. Values count as expr::Equal.
  std::optional<ConfigurationIndex> IndexOf(const Configuration& configuration) const;
  // The packed row of a configuration, words of layout(); index < size().
  Row RowAt(ConfigurationIndex index) const {
    const uint64_t* const row = &rows_[index * layout_.words()];
    return Row(row, row + layout_.words());
  }
  const RowLayout& layout() const { return layout_; }
  // Nothing if no valid configuration has this row; a binary search.
  std::optional<ConfigurationIndex> IndexOfRow(const uint64_t* row) const;
  // Uniform over the valid configurations.
  ConfigurationIndex Sample(RandomStream& random) const { return random.UniformBelow(size_); }

  // The first constraint (index) that `configuration` breaks; nothing if it breaks none.
  // InvalidArgument if it lacks a parameter, has an unknown one or a value outside its domain, or
  // if it breaks none and one cannot be evaluated.
  absl::StatusOr<std::optional<size_t>> BrokenConstraint(const Configuration& configuration) const;

 private:
  SearchSpace() = default;
  // The index of each parameter's value.
  absl::StatusOr<std::vector<size_t>> ValueIndices(const Configuration& configuration) const;

  std::vector<Parameter> parameters_;
  std::vector<expr::Expression> constraints_;
  RowLayout layout_;
  uint64_t size_ = 0;
  std::vector<uint64_t> rows_;  // size_ rows of layout_.words() words, ascending
};

// Share of the Cartesian product that satisfies each constraint alone; exact up to `max_exact`
// configurations of the constraint's own parameters, sampled above. Where a constraint cannot be
// evaluated, it is not satisfied.
struct ConstraintShare {
  std::string text;
  double kept = 0;
  bool exact = true;
};
absl::StatusOr<std::vector<ConstraintShare>> AnalyseConstraints(
    const std::vector<Parameter>& parameters, const std::vector<expr::Expression>& constraints,
    uint64_t max_exact = 10'000'000);

}  // namespace burnish::space
