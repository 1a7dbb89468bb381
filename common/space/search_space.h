// All valid configurations of a set of parameters under constraints.
//
// Parameters that no constraint connects, directly or through others, are independent: the space is
// the product of such components, each of which is enumerated as flat rows of value indices (8
// bytes per row in most spaces), and only indices of the product are ever computed. Index order is
// lexicographic: component by component, these in the order of their first declared parameters, and
// within one by parameter and value as declared. So it depends on nothing but the declaration, and
// it is the declared order of all parameters unless components interleave.
//
// A component of more than limits::kSpaceConfigurations configurations, or not enumerated within
// limits::kSpaceConstructionSteps, makes the space lazy: nothing is listed, an index is the number
// of a configuration in the Cartesian product of the declared values (first parameter most
// significant), most indices are of no valid configuration, and size() is an estimate.
// Configurations are drawn near-uniformly (component.h) and looked up by evaluating the
// constraints, in about a microsecond.
//
// Immutable after Create, so thread-safe. Copies share what they hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/random.h"
#include "common/expr/expression.h"
#include "common/space/configuration.h"
#include "common/space/construction_options.h"
#include "common/space/parameter.h"
#include "common/space/row_layout.h"

namespace burnish::space {

struct Construction;  // common/space/construction.h

using ConfigurationIndex = uint64_t;

class SearchSpace {
 public:
  // Constraints may use parameters only (constants have been substituted). Errors are Diagnostics:
  // - InvalidArgument "the search space is empty: constraints[1] removes the last configuration",
  //   path `constraints[1]`: the first one that, with those listed before it, leaves nothing;
  // - InvalidArgument "division by zero in '%' where A = 0", path `constraints[1]`: it cannot be
  //   evaluated for a configuration that no other constraint removes;
  // - ResourceExhausted if no index could hold the number of a configuration (2^63 of them, in the
  //   Cartesian product if the space is lazy), or none is found within kSpaceConstructionSteps;
  // - InvalidArgument for parameters without values or with equal ones, and for unknown names.
  static absl::StatusOr<SearchSpace> Create(std::vector<Parameter> parameters,
                                            std::vector<expr::Expression> constraints,
                                            const ConstructionOptions& options = {});

  // The configurations of a list, such as those that somebody has measured: for each one the index
  // of each parameter's value, which must lie in its domain. InvalidArgument if none is given or
  // one twice, and for parameters as above.
  static absl::StatusOr<SearchSpace> Listed(
      std::vector<Parameter> parameters, const std::vector<std::vector<uint32_t>>& configurations);

  const std::vector<Parameter>& parameters() const { return *parameters_; }
  const std::vector<expr::Expression>& constraints() const;
  // Valid configurations; an estimate if not Enumerable().
  uint64_t size() const { return size_; }
  // Indices are all numbers below size(). Otherwise the space is lazy, see above.
  bool Enumerable() const { return is_enumerable_; }
  // Indices are below this; size() if Enumerable().
  uint64_t IndexEnd() const { return index_end_; }
  bool Contains(ConfigurationIndex index) const;
  // Product of the domain sizes, exact, in decimal digits.
  std::string CartesianSize() const;
  // Of the rows that are held.
  uint64_t Bytes() const;

  // In what follows `index` is that of a valid configuration.
  //
  // The configuration in declared order, with the values as declared.
  Configuration At(ConfigurationIndex index) const;
  // Nothing if it is not a valid configuration of this space. Values count as expr::Equal.
  std::optional<ConfigurationIndex> IndexOf(const Configuration& configuration) const;
  // The packed row of a configuration, words of layout().
  Row RowAt(ConfigurationIndex index) const;
  const RowLayout& layout() const { return *layout_; }
  // Nothing if no valid configuration has this row; a binary search in each component.
  std::optional<ConfigurationIndex> IndexOfRow(const uint64_t* row) const;
  // Uniform over the valid configurations; near-uniform in a lazy space.
  ConfigurationIndex Sample(RandomStream& random) const;

  // The first constraint (index) that `configuration` breaks; nothing if it breaks none.
  // InvalidArgument if it lacks a parameter, has an unknown one or a value outside its domain, or
  // if it breaks none and one cannot be evaluated.
  absl::StatusOr<std::optional<size_t>> BrokenConstraint(const Configuration& configuration) const;

 private:
  explicit SearchSpace(std::shared_ptr<const Construction> parts);
  // Sizes and kinds of index. An error if there are too many configurations for an index.
  absl::Status Measure();
  // The index of each parameter's value.
  absl::StatusOr<std::vector<size_t>> ValueIndices(const Configuration& configuration) const;
  Row CartesianRow(ConfigurationIndex index) const;
  ConfigurationIndex CartesianIndex(const uint64_t* row) const;

  std::shared_ptr<const Construction> parts_;
  const std::vector<Parameter>* parameters_;  // of parts_, as is the layout
  const RowLayout* layout_;
  bool is_enumerable_ = true;
  uint64_t size_ = 1;
  uint64_t index_end_ = 1;
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
