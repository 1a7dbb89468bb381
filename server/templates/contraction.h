// A contraction as a template for matrix products sees it: one loop each for rows, columns and
// what is summed over, within loops over batches. Axes that lie behind each other in memory are
// one loop. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "common/op/operator.h"

namespace burnish::templates {

struct Loop {
  int64_t extent = 1;
  // Elements between neighbours, for each operand of the contraction.
  std::vector<int64_t> strides;
};

// Operands in this order: a, b, c (the output), then those of the epilogue's steps of kind kAdd.
struct Contraction {
  enum : size_t { kA = 0, kB = 1, kC = 2, kEpilogue = 3 };

  std::vector<op::Access> operands;
  Loop m;                     // in a and c
  Loop n;                     // in b and c, and there without gaps
  Loop k;                     // in a and b, summed over
  std::vector<Loop> batches;  // outermost first

  int64_t BatchCount() const;
  // Batches that differ in the operand.
  int64_t BatchCountOf(size_t operand) const;
};

// a and b are the factors in either order: rows and columns change places where only the rows lie
// without gaps in the output. NotFound with the reason for an operator that is not of this form.
absl::StatusOr<Contraction> AsContraction(const op::Operator& op);

}  // namespace burnish::templates
