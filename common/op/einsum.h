// Contractions by their index expression, of which matrix products are the best known.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/op/operator.h"

namespace burnish::op {

// What may follow in an epilogue: bias, residual, relu, gelu, gelu_tanh.
const std::vector<std::string>& EpilogueNames();

struct EinsumOptions {
  std::string name = "einsum";
  std::string_view expression;             // "mk,kn->mn": factors a and b, output c
  std::map<std::string, int64_t> extents;  // of every letter: {"m": 512, …}
  Dtype a = Dtype::kF32;
  Dtype b = Dtype::kF32;
  Dtype output = Dtype::kF32;
  std::vector<std::string> constant;  // names of factors: "b"
  // bias is added along the output's last axis; a residual has the output's shape. Each of the two
  // at most once.
  std::vector<std::string> epilogue;
};

// InvalidArgument Diagnostics whose path is the member that is wrong (`expression`, `extents.m`,
// `dtype`, `constant[0]`, `epilogue[1]`), with a hint. Served: two factors; every letter in two of
// the three index lists or more, none twice in one; dtypes f32, f64, bf16 (output bf16 or f32;
// sums in f32), i8 and u8 (output i32; sums in i32, whose range the reduction must not exceed).
// Axes: the output's in its order, then those of the reduction in a's. Tensors: a, b, what the
// epilogue adds (`bias`, `residual`; of the output's dtype) in its order, c.
absl::StatusOr<Operator> Einsum(const EinsumOptions& options);

// The expression of a matrix product: "mk,kn->mn"; with a batch, "bmk,bkn->bmn".
std::string MatmulExpression(bool batched, bool transpose_a, bool transpose_b);

}  // namespace burnish::op
