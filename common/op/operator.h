// What an operator computes, described once, independent of any device: loops, what each of them
// reads and writes, and what happens to a result before it is stored. Shapes, work, reference
// values and schedules all come from this description.
//
//   output[access] = epilogue(sum over the reduction axes of the product of the factors)
//
// Plain values; pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/dtype.h"

namespace burnish::op {

// One loop.
struct Axis {
  std::string name;
  int64_t extent = 1;
  bool reduction = false;  // does not appear in the output
};

// coefficient * axis, summed up, plus offset: an index into one dimension of a tensor.
struct AffineIndex {
  struct Term {
    size_t axis = 0;
    int64_t coefficient = 1;
  };
  std::vector<Term> terms;
  int64_t offset = 0;
};

// A row-major array.
struct Tensor {
  std::string name;  // as an argument: "a"
  Dtype dtype = Dtype::kF32;
  std::vector<int64_t> shape;
  bool constant = false;  // its content is known ahead: it may be rearranged outside timed regions
};

// One index per dimension of the tensor.
struct Access {
  size_t tensor = 0;
  std::vector<AffineIndex> indices;
  bool guarded = false;  // an index outside the tensor reads 0 (padding); else there is none
};

enum class EpilogueKind {
  kAdd,       // the operand: a bias along some axes, or a residual
  kRelu,      // max(x, 0)
  kGelu,      // x * (1 + erf(x / sqrt 2)) / 2
  kGeluTanh,  // its approximation by tanh
};

struct EpilogueStep {
  std::string name;  // as in a job file: "bias"
  EpilogueKind kind = EpilogueKind::kRelu;
  Access operand;  // with kAdd
};

struct Operator {
  std::string name;  // "matmul": for people
  std::vector<Axis> axes;
  std::vector<Tensor> tensors;  // in calling order: factors, operands of the epilogue, the output
  std::vector<Access> factors;
  Access output;
  Dtype accumulator = Dtype::kF32;  // what sums are kept in: f64, f32 or i32
  std::vector<EpilogueStep> epilogue;
};

// Distance, in elements, between neighbours along an axis within the tensor of an access; 0 where
// the axis does not move it.
int64_t StrideOf(const Operator& op, const Access& access, size_t axis);

// Of one execution: a multiplication and an addition per point of the loops (the epilogue is not
// counted), and every tensor's bytes once.
double Flops(const Operator& op);
double Bytes(const Operator& op);

// How many products are summed up for one element of the output.
int64_t ReductionLength(const Operator& op);

// The same for equal problems, however they were written: axes are named in order of appearance,
// and neither names nor calling conventions enter. JSON with sorted keys.
std::string CanonicalKey(const Operator& op);

// "matmul f32": operators whose schedules are alike, whatever their shapes.
std::string Family(const Operator& op);

// "matmul 512x512x512 f32 bias relu": for people.
std::string Describe(const Operator& op);

}  // namespace burnish::op
