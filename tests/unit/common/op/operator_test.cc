#include "common/op/operator.h"

#include <set>

#include "common/op/einsum.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::op {
namespace {

EinsumOptions Matmul() {
  return {.name = "matmul",
          .expression = "mk,kn->mn",
          .extents = {{"m", 4}, {"n", 6}, {"k", 8}},
          .epilogue = {"bias", "relu"}};
}

TEST(OperatorTest, StridesOfAxes) {
  const Operator op = Einsum(Matmul()).value();
  EXPECT_EQ(StrideOf(op, op.factors[0], 0), 8);  // a[m, k]
  EXPECT_EQ(StrideOf(op, op.factors[0], 1), 0);
  EXPECT_EQ(StrideOf(op, op.factors[0], 2), 1);
  EXPECT_EQ(StrideOf(op, op.factors[1], 2), 6);  // b[k, n]
  EXPECT_EQ(StrideOf(op, op.epilogue[0].operand, 0), 0);
  EXPECT_EQ(StrideOf(op, op.epilogue[0].operand, 1), 1);
}

TEST(OperatorTest, StridesOfSumsOfAxes) {
  Operator op;
  op.axes = {{"y", 4}, {"r", 3, true}};
  op.tensors = {{"x", Dtype::kF32, {10, 5}}};
  const Access access{.indices = {{.terms = {{0, 2}, {1, 1}}, .offset = -1}, {.terms = {{0, 1}}}}};
  EXPECT_EQ(StrideOf(op, access, 0), 11);
  EXPECT_EQ(StrideOf(op, access, 1), 5);
}

TEST(OperatorTest, CountsWork) {
  const Operator op = Einsum(Matmul()).value();
  EXPECT_EQ(Flops(op), 2 * 4 * 6 * 8);
  EXPECT_EQ(ReductionLength(op), 8);
  EXPECT_EQ(Bytes(op), 4 * (4 * 8 + 8 * 6 + 6 + 4 * 6));
}

TEST(OperatorTest, IsDescribedForPeople) {
  EinsumOptions options = Matmul();
  EXPECT_EQ(Describe(Einsum(options).value()), "matmul 4x6x8 f32 bias relu");
  options.epilogue = {};
  options.a = Dtype::kU8;
  options.b = Dtype::kI8;
  options.output = Dtype::kI32;
  EXPECT_EQ(Describe(Einsum(options).value()), "matmul 4x6x8 u8*i8->i32");
  options.a = Dtype::kI8;
  EXPECT_EQ(Describe(Einsum(options).value()), "matmul 4x6x8 i8->i32");
}

TEST(CanonicalKeyTest, NamesDoNotEnter) {
  EinsumOptions renamed = Matmul();
  renamed.name = "einsum";
  renamed.expression = "xz,zy->xy";
  renamed.extents = {{"x", 4}, {"y", 6}, {"z", 8}};
  const std::string key = CanonicalKey(Einsum(Matmul()).value());
  EXPECT_EQ(key, CanonicalKey(Einsum(renamed).value()));
  // Neither does the order in which axes and tensors are listed.
  Operator op = Einsum(Matmul()).value();
  std::swap(op.axes[0], op.axes[2]);
  std::swap(op.tensors[0], op.tensors[3]);
  for (Access* access : {&op.factors[0], &op.factors[1], &op.output, &op.epilogue[0].operand}) {
    if (access->tensor % 3 == 0) access->tensor = 3 - access->tensor;
    for (AffineIndex& index : access->indices) {
      for (AffineIndex::Term& term : index.terms) {
        if (term.axis != 1) term.axis = 2 - term.axis;
      }
    }
  }
  EXPECT_EQ(key, CanonicalKey(op));
}

TEST(CanonicalKeyTest, EverythingElseEnters) {
  using Options = EinsumOptions;
  void (*const changes[])(Options&) = {
      [](Options&) {},
      [](Options& o) { o.expression = "km,kn->mn"; },
      [](Options& o) { o.expression = "mk,nk->mn"; },
      [](Options& o) { o.expression = "mk,kn->nm"; },
      [](Options& o) { o.extents["m"] = 5; },
      [](Options& o) { o.extents["k"] = 5; },
      [](Options& o) { o.a = o.b = o.output = Dtype::kF64; },
      [](Options& o) { o.a = o.b = o.output = Dtype::kBf16; },
      [](Options& o) { o.a = o.b = Dtype::kBf16; },
      [](Options& o) { o.constant = {"a"}; },
      [](Options& o) { o.constant = {"b"}; },
      [](Options& o) { o.epilogue = {}; },
      [](Options& o) { o.epilogue = {"bias"}; },
      [](Options& o) {
        o.epilogue = {"relu", "bias"};
      },
      [](Options& o) {
        o.epilogue = {"residual", "relu"};
      },
      [](Options& o) {
        o.epilogue = {"bias", "gelu"};
      },
      [](Options& o) {
        o.epilogue = {"bias", "gelu_tanh"};
      },
  };
  std::set<std::string> keys;
  for (const auto& change : changes) {
    EinsumOptions options = Matmul();
    change(options);
    EXPECT_TRUE(keys.insert(CanonicalKey(Einsum(options).value())).second) << keys.size();
  }
  Operator guarded = Einsum(Matmul()).value();
  guarded.factors[0].guarded = true;
  EXPECT_TRUE(keys.insert(CanonicalKey(guarded)).second);
}

}  // namespace
}  // namespace burnish::op
