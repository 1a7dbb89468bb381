// Depth-first search for the configurations that break no constraint. Parameters are bound in an
// order chosen for early pruning; a constraint is tested as soon as its last name is bound, and a
// prefix that breaks one is never extended.
//
// A constraint that cannot be evaluated for a prefix (division by zero) does not remove it, but
// marks it: such a configuration is an error only if no other constraint removes it. So what is an
// error depends neither on the order of the constraints nor on that of the search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/expr/expression.h"
#include "common/space/parameter.h"
#include "common/space/row_layout.h"

namespace burnish::space {

class DepthFirst {
 public:
  enum class Goal {
    kAll,    // collect all configurations; stop at one for which a constraint fails to evaluate
    kFirst,  // stop at any configuration that no constraint removes
  };
  enum class Outcome {
    kExhausted,
    kFound,         // kFirst
    kNotEvaluated,  // kAll: row() is a configuration that a constraint cannot be evaluated for
    kTooMany,       // more than limits::kSpaceConfigurations
    kTooLong,       // more than limits::kSpaceConstructionSteps
  };

  // All arguments must outlive the search. Constraints use names of parameters only.
  DepthFirst(const std::vector<Parameter>& parameters,
             std::span<const expr::Expression> constraints, const RowLayout& layout, Goal goal);

  Outcome Run();

  const std::vector<uint64_t>& row() const { return row_; }  // where the search stopped
  std::vector<uint64_t> TakeRows() { return std::move(rows_); }

 private:
  // Where a parameter's value is needed: an argument of a constraint.
  struct Use {
    size_t constraint;
    size_t argument;
  };
  struct Step {
    size_t parameter;
    std::vector<Use> uses;
    std::vector<size_t> decided;  // constraints whose last name is bound here
  };

  void PlanSteps();
  void PlanUnconstrainedEnd();
  // False: the search is over, outcome_ says why.
  bool Descend(size_t depth);
  bool Collect();
  bool Removes(const std::vector<size_t>& decided);

  const std::vector<Parameter>& parameters_;
  const std::span<const expr::Expression> constraints_;
  const RowLayout& layout_;
  const Goal goal_;

  std::vector<Step> steps_;
  std::vector<size_t> decided_at_once_;              // constraints without names
  std::vector<std::vector<expr::Value>> arguments_;  // of each constraint
  size_t unconstrained_from_ = 0;    // from this depth on no constraint is decided …
  uint64_t unconstrained_size_ = 1;  // … and this many configurations follow, saturating

  bool not_evaluated_ = false;
  uint64_t bindings_ = 0;
  Outcome outcome_ = Outcome::kExhausted;
  std::vector<uint64_t> row_;
  std::vector<uint64_t> rows_;
};

}  // namespace burnish::space
