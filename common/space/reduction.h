// What a declaration comes to before anything is searched: domains without the values that some
// constraint excludes by itself, conditions that can still be broken, and the components: sets of
// parameters that no condition connects to others, so that the space is the product of theirs.
//
// Parameters of one value are constants. Conjunctions and chained comparisons are several
// conditions; what the domains' bounds decide is dropped (intervals, in expr::Circuit).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/expr/circuit.h"
#include "common/expr/expression.h"
#include "common/space/parameter.h"

namespace burnish::space {

// A constraint that is no part of the circuit: it is evaluated by Expression::Test.
struct ExactConstraint {
  const expr::Expression* constraint = nullptr;
  std::vector<size_t> parameters;            // in the order of its names
  expr::Circuit::VariableSet variables = 0;  // those of them that have several values left
};

struct Reduction {
  bool is_empty = false;  // the constraints leave nothing; the rest is not filled in then
  // Of each parameter the numbers of the values left, in ascending order of numbers where they are
  // all numbers. The circuit's variable p has these values, in this order.
  std::vector<std::vector<uint32_t>> domains;
  expr::Circuit circuit;
  std::vector<expr::Circuit::Condition> conditions;
  std::vector<ExactConstraint> exact;
  // Of each the parameters, ascending; in the order of their first ones. Parameters of one value
  // belong to none.
  std::vector<std::vector<size_t>> components;
  // Some condition without parameters cannot be evaluated.
  bool always_fails = false;
};

// All arguments must outlive what it returns; parameters and names must have been checked.
Reduction Reduce(const std::vector<Parameter>& parameters,
                 std::span<const expr::Expression> constraints);

}  // namespace burnish::space
