// Depth-first search for the configurations of one component that break no condition.
//
// Parameters are bound in an order chosen for early pruning, their values in ascending order. What
// depends on a parameter is computed when the last parameter of it is bound, and not again below.
// A condition is tested as soon as its last parameter is bound, and before that in the form in
// which it is most easily satisfied, where the trends of its terms say which that is; a prefix that
// breaks one is never extended. Where a condition can only get worse with larger values, the rest
// of them is skipped.
//
// A condition that cannot be evaluated for a prefix (division by zero) does not remove it, but
// marks it: such a configuration is an error only if no other condition removes it. So what is an
// error depends neither on the order of the constraints nor on that of the search.
//
// Immutable, so thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/random.h"
#include "common/expr/circuit.h"
#include "common/space/parameter.h"
#include "common/space/reduction.h"
#include "common/space/row_layout.h"

namespace burnish::space {

class ComponentSearch {
 public:
  // `component` is one of the reduction's, which gets further conditions in its circuit. Reduction
  // and parameters must outlive the search. Rows are those of `layout`, without other parameters
  // and without the words before `first_word` and those after the component's.
  ComponentSearch(const std::vector<Parameter>& parameters, Reduction& reduction,
                  const std::vector<size_t>& component, const RowLayout& layout);

  size_t first_word() const { return first_word_; }
  size_t words() const { return words_; }

  struct Rows {
    enum class End { kComplete, kTooMany, kTooLong };
    End end = End::kComplete;
    std::vector<uint64_t> words;       // of the rows, one row behind the other
    std::optional<Row> not_evaluated;  // the first one that a condition cannot be evaluated for
  };
  // All configurations. Above `max_rows`, or limits::kSpaceConstructionSteps values tried, it stops
  // with some of them. The order of the rows does not depend on the number of threads.
  Rows Enumerate(uint64_t max_rows, int threads) const;

  // A configuration that no condition removes; it may be one that cannot be evaluated. Nothing if
  // there is none, or none was found within limits::kSpaceConstructionSteps.
  struct FirstFound {
    std::optional<Row> row;
    bool is_known = true;
  };
  FirstFound First() const;
  // Whether the words of a full row are those of a configuration that holds all conditions.
  bool Holds(const uint64_t* full_row) const;

  // `count` descents: one random value after the other, each of those that break nothing yet. The
  // weight of a descent is 1 / its probability, that of a dead end 0.
  struct Descents {
    Row chosen;         // one of them, in proportion to the weights; empty if all came to dead ends
    double weight = 0;  // the sum
  };
  Descents Descend(int count, RandomStream& random) const;

 private:
  friend class Walker;
  struct Code {
    enum class Kind : uint8_t { kCompute, kTest, kTestFalling };
    Kind kind = Kind::kCompute;
    expr::CircuitNode target = 0;  // what is computed or tested
    expr::Circuit::Instruction instruction;
  };
  struct Choice {
    expr::Slot slot;
    uint64_t bits = 0;  // of the row
  };
  struct Step {
    size_t parameter = 0;
    std::vector<Choice> choices;
    size_t word = 0;
    uint64_t cleared = 0;  // the row's other bits
    std::vector<Code> code;
    std::vector<size_t> exact;  // constraints decided here
  };

  void PlanSteps(const Reduction& reduction, const std::vector<size_t>& order,
                 const RowLayout& layout);
  void PlanCode(Reduction& reduction, expr::Circuit::VariableSet own);
  // How deep the search must be for all the variables to be bound.
  size_t DepthOf(expr::Circuit::VariableSet variables) const;
  double Combinations() const;

  const std::vector<Parameter>& parameters_;
  const Reduction& reduction_;
  std::vector<Step> steps_;
  std::vector<size_t> depth_of_;  // by parameter
  size_t first_word_ = 0;
  size_t words_ = 1;
};

}  // namespace burnish::space
