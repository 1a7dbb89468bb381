#include "common/op/einsum.h"

#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/op/validity.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::op {
namespace {

using ::testing::ElementsAre;

EinsumOptions Matmul() {
  return {.name = "matmul", .expression = "mk,kn->mn", .extents = {{"m", 4}, {"n", 6}, {"k", 8}}};
}

Operator Made(const EinsumOptions& options) {
  absl::StatusOr<Operator> op = Einsum(options);
  EXPECT_TRUE(op.ok()) << op.status();
  if (!op.ok()) return {};
  EXPECT_TRUE(CheckOperator(*op).ok()) << CheckOperator(*op);
  return *std::move(op);
}

std::vector<std::string> TensorNames(const Operator& op) {
  std::vector<std::string> names;
  for (const Tensor& tensor : op.tensors) names.push_back(tensor.name);
  return names;
}

TEST(EinsumTest, MakesAMatrixProduct) {
  const Operator op = Made(Matmul());
  ASSERT_EQ(op.axes.size(), 3u);
  EXPECT_EQ(op.axes[0].name, "m");
  EXPECT_FALSE(op.axes[1].reduction);
  EXPECT_EQ(op.axes[2].extent, 8);
  EXPECT_TRUE(op.axes[2].reduction);
  EXPECT_THAT(TensorNames(op), ElementsAre("a", "b", "c"));
  EXPECT_THAT(op.tensors[0].shape, ElementsAre(4, 8));
  EXPECT_THAT(op.tensors[1].shape, ElementsAre(8, 6));
  EXPECT_THAT(op.tensors[2].shape, ElementsAre(4, 6));
  EXPECT_EQ(op.output.tensor, 2u);
  EXPECT_EQ(op.accumulator, Dtype::kF32);
}

TEST(EinsumTest, TheEpiloguesOperandsStandBeforeTheOutput) {
  EinsumOptions options = Matmul();
  options.epilogue = {"bias", "gelu", "residual", "relu"};
  const Operator op = Made(options);
  EXPECT_THAT(TensorNames(op), ElementsAre("a", "b", "bias", "residual", "c"));
  EXPECT_THAT(op.tensors[2].shape, ElementsAre(6));
  EXPECT_THAT(op.tensors[3].shape, ElementsAre(4, 6));
  EXPECT_EQ(op.epilogue[1].kind, EpilogueKind::kGelu);
}

TEST(EinsumTest, EveryDtypeHasItsAccumulator) {
  const auto accumulator = [](Dtype a, Dtype b, Dtype output) {
    EinsumOptions options = Matmul();
    options.a = a;
    options.b = b;
    options.output = output;
    return Made(options).accumulator;
  };
  EXPECT_EQ(accumulator(Dtype::kF64, Dtype::kF64, Dtype::kF64), Dtype::kF64);
  EXPECT_EQ(accumulator(Dtype::kBf16, Dtype::kBf16, Dtype::kBf16), Dtype::kF32);
  EXPECT_EQ(accumulator(Dtype::kBf16, Dtype::kBf16, Dtype::kF32), Dtype::kF32);
  EXPECT_EQ(accumulator(Dtype::kU8, Dtype::kI8, Dtype::kI32), Dtype::kI32);
}

TEST(EinsumTest, ExpressionsOfMatrixProducts) {
  EXPECT_EQ(MatmulExpression(false, false, false), "mk,kn->mn");
  EXPECT_EQ(MatmulExpression(false, true, true), "km,nk->mn");
  EXPECT_EQ(MatmulExpression(true, false, true), "bmk,bnk->bmn");
  EinsumOptions options = Matmul();
  const std::string batched = MatmulExpression(true, true, false);
  options.expression = batched;
  options.extents["b"] = 3;
  EXPECT_THAT(Made(options).tensors[0].shape, ElementsAre(3, 8, 4));
}

struct BadEinsum {
  const char* name;
  void (*change)(EinsumOptions&);
  const char* path;
  const char* message;
  const char* hint;
};
void PrintTo(const BadEinsum& bad, std::ostream* out) { *out << bad.name; }

class BadEinsumTest : public ::testing::TestWithParam<BadEinsum> {};

TEST_P(BadEinsumTest, IsRefused) {
  EinsumOptions options = Matmul();
  GetParam().change(options);
  const auto op = Einsum(options);
  ASSERT_FALSE(op.ok());
  EXPECT_EQ(op.status().code(), absl::StatusCode::kInvalidArgument);
  const Diagnostic diagnostic = DiagnosticOf(op.status()).value();
  EXPECT_EQ(diagnostic.path, GetParam().path);
  EXPECT_EQ(diagnostic.message, GetParam().message);
  EXPECT_EQ(diagnostic.hint, GetParam().hint);
}

constexpr char kExample[] = "write it like 'mk,kn->mn'";
constexpr char kDtypeHint[] = "f32 or f64 throughout, bf16 into bf16 or f32, i8 and u8 into i32";
using Options = EinsumOptions;

const BadEinsum kBad[] = {
    {"NoArrow", [](Options& o) { o.expression = "mk,kn"; }, "expression",
     "has no '->' before the output's indices", kExample},
    {"OneFactor", [](Options& o) { o.expression = "mk->m"; }, "expression", "must have two factors",
     kExample},
    {"ThreeFactors", [](Options& o) { o.expression = "mk,kn,n->m"; }, "expression",
     "must have two factors", kExample},
    {"NoLetter", [](Options& o) { o.expression = "m1,1n->mn"; }, "expression",
     "an index must be a single letter", kExample},
    {"SecondArrow", [](Options& o) { o.expression = "mk,kn->mn->m"; }, "expression",
     "an index must be a single letter", kExample},
    {"Scalar", [](Options& o) { o.expression = "k,k->"; }, "expression",
     "a factor or the output has no index", kExample},
    {"Diagonal", [](Options& o) { o.expression = "mm,mn->mn"; }, "expression",
     "'m' stands twice in 'mm'", "diagonals are not served"},
    {"Alone", [](Options& o) { o.expression = "mkx,kn->mn"; }, "expression",
     "'x' stands in 'mkx' alone", "an index belongs to at least two of the factors and the output"},
    {"Rank", [](Options& o) { o.expression = "abcdefghi,abcdefghi->a"; }, "expression",
     "'abcdefghi' has 9 indices; at most 8 are accepted", ""},
    {"UnknownExtent", [](Options& o) { o.extents["M"] = 4; }, "extents.M",
     "the expression has no index 'M'", "did you mean 'm'?"},
    {"MissingExtent", [](Options& o) { o.extents.erase("k"); }, "extents",
     "the extent of 'k' is missing", ""},
    {"Zero", [](Options& o) { o.extents["k"] = 0; }, "extents.k", "must be positive, not 0", ""},
    {"Huge", [](Options& o) { o.extents["k"] = int64_t{1} << 62; }, "extents",
     "tensor 'a' is larger than 8589934592 bytes", ""},
    {"HugeTogether",
     [](Options& o) {
       o.extents = {{"m", 1 << 15}, {"n", 1 << 15}, {"k", 1 << 16}};
     },
     "extents", "the tensors are larger than 17179869184 bytes together", ""},
    {"Mixed", [](Options& o) { o.b = Dtype::kF64; }, "dtype",
     "a product of f32 and f64 into f32 is not supported by this version", kDtypeHint},
    {"Half", [](Options& o) { o.a = o.b = o.output = Dtype::kF16; }, "dtype",
     "a product of f16 and f16 into f16 is not supported by this version", kDtypeHint},
    {"BytesIntoBytes", [](Options& o) { o.a = o.b = o.output = Dtype::kI8; }, "dtype",
     "a product of i8 and i8 into i8 is not supported by this version", kDtypeHint},
    {"LongIntegerSum",
     [](Options& o) {
       o.a = o.b = Dtype::kU8;
       o.output = Dtype::kI32;
       o.extents["k"] = 33026;
     },
     "extents", "sums of so many products may exceed the range of i32", ""},
    {"UnknownConstant",
     [](Options& o) {
       o.constant = {"b", "c"};
     },
     "constant[1]", "'c' is no factor", "known: a, b"},
    {"ConstantTwice",
     [](Options& o) {
       o.constant = {"b", "b"};
     },
     "constant[1]", "'b' stands twice", ""},
    {"UnknownEpilogue",
     [](Options& o) {
       o.epilogue = {"relu", "gleu"};
     },
     "epilogue[1]", "unknown epilogue 'gleu'", "did you mean 'gelu'?"},
    {"BiasTwice",
     [](Options& o) {
       o.epilogue = {"bias", "relu", "bias"};
     },
     "epilogue[2]", "'bias' stands twice", ""},
    {"LongEpilogue", [](Options& o) { o.epilogue.assign(9, "relu"); }, "epilogue",
     "has 9 steps; at most 8 are accepted", ""},
    {"GeluOfIntegers",
     [](Options& o) {
       o.a = o.b = Dtype::kI8;
       o.output = Dtype::kI32;
       o.epilogue = {"gelu"};
     },
     "epilogue[0]", "gelu needs a floating output, not i32", ""},
};
INSTANTIATE_TEST_SUITE_P(All, BadEinsumTest, ::testing::ValuesIn(kBad),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(EinsumTest, SpacesMeanNothingAndTheLongestIntegerSumIsServed) {
  EinsumOptions options = Matmul();
  options.expression = "m k, k n -> m n";
  options.a = options.b = Dtype::kU8;
  options.output = Dtype::kI32;
  options.extents["k"] = 33025;
  EXPECT_EQ(Made(options).axes[2].extent, 33025);
}

}  // namespace
}  // namespace burnish::op
