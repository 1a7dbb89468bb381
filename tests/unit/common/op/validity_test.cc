#include "common/op/validity.h"

#include "common/base/limits.h"
#include "common/op/einsum.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::op {
namespace {

using ::testing::StartsWith;

Operator Sound() {
  return Einsum({.expression = "mk,kn->mn",
                 .extents = {{"m", 4}, {"n", 6}, {"k", 8}},
                 .epilogue = {"bias"}})
      .value();
}

struct BadOperator {
  const char* name;
  void (*change)(Operator&);
  const char* message;
};
void PrintTo(const BadOperator& bad, std::ostream* out) { *out << bad.name; }

class BadOperatorTest : public ::testing::TestWithParam<BadOperator> {};

TEST_P(BadOperatorTest, IsRefused) {
  Operator op = Sound();
  ASSERT_TRUE(CheckOperator(op).ok()) << CheckOperator(op);
  GetParam().change(op);
  EXPECT_THAT(std::string(CheckOperator(op).message()), StartsWith(GetParam().message));
}

constexpr int64_t kHuge = int64_t{1} << 62;

const BadOperator kBad[] = {
    {"NoName", [](Operator& op) { op.name.clear(); }, "name: "},
    {"NoAxes", [](Operator& op) { op.axes.clear(); }, "axes: 0 of them"},
    {"ManyAxes", [](Operator& op) { op.axes.resize(17); }, "axes: 17 of them"},
    {"NoExtent", [](Operator& op) { op.axes[0].extent = 0; }, "axes.extent: "},
    {"HugeExtent", [](Operator& op) { op.axes[0].extent = kHuge; }, "axes.extent: "},
    {"LongSum",
     [](Operator& op) {
       for (const char* name : {"x", "y"}) op.axes.push_back({name, int64_t{1} << 32, true});
     },
     "axes: sums of more than"},
    {"NoTensors", [](Operator& op) { op.tensors.clear(); }, "tensors: 0 of them"},
    {"SameName", [](Operator& op) { op.tensors[0].name = "b"; }, "tensors.name: 'b' stands twice"},
    {"NoShape", [](Operator& op) { op.tensors[0].shape.clear(); }, "tensors.shape: 0 of them"},
    {"NegativeShape", [](Operator& op) { op.tensors[0].shape[0] = -4; }, "tensors.shape: every"},
    {"HugeTensor",
     [](Operator& op) {
       op.tensors[0].shape = {kHuge, 1};
     },
     "tensors.shape: larger"},
    {"HugeTogether",
     [](Operator& op) {
       for (Tensor& tensor : op.tensors) tensor.shape[0] = limits::kBufferBytes / 32;
     },
     "tensors: larger than"},
    {"NoSuchTensor", [](Operator& op) { op.factors[1].tensor = 9; }, "factors: tensor: "},
    {"NoSuchOutput", [](Operator& op) { op.output.tensor = 9; }, "output: tensor: "},
    {"NoSuchAxis", [](Operator& op) { op.factors[1].indices[0].terms[0].axis = 9; },
     "factors: indices.terms.axis: "},
    {"Rank", [](Operator& op) { op.factors[1].indices.pop_back(); }, "factors: indices: 1 of them"},
    {"Outside", [](Operator& op) { op.factors[1].indices[0].offset = 1; },
     "factors: indices: outside the tensor"},
    {"Before", [](Operator& op) { op.factors[1].indices[0].terms[0].coefficient = -1; },
     "factors: indices: outside the tensor"},
    {"HugeCoefficient", [](Operator& op) { op.factors[1].indices[0].terms[0].coefficient = kHuge; },
     "factors: indices.terms.coefficient"},
    {"FarOutside",
     [](Operator& op) {
       op.factors[1].guarded = true;
       op.factors[1].indices[0].offset = -kHuge;
     },
     "factors: indices: too far outside"},
    {"ManyTerms", [](Operator& op) { op.factors[1].indices[0].terms.resize(17); },
     "factors: indices.terms: 17"},
    {"ReadsTheOutput", [](Operator& op) { op.factors[0] = op.output; },
     "factors: reads the output"},
    {"GuardedOutput", [](Operator& op) { op.output.guarded = true; }, "output: an index"},
    {"OutputTwice", [](Operator& op) { op.output.indices[0] = op.output.indices[1]; }, "output: "},
    {"OutputOfTheReduction", [](Operator& op) { op.axes[0].reduction = true; }, "output: an index"},
    {"OutputWithoutAnAxis", [](Operator& op) { op.axes[2].reduction = false; },
     "output: does not have"},
    {"OutputPartlyWritten", [](Operator& op) { op.tensors[3].shape[0] = 5; }, "output: an index"},
    {"NoFactors", [](Operator& op) { op.factors.clear(); }, "factors: 0 of them"},
    {"LongEpilogue", [](Operator& op) { op.epilogue.resize(9); }, "epilogue: 9 of them"},
    {"OperandOfTheReduction", [](Operator& op) { op.epilogue[0].operand = op.factors[0]; },
     "epilogue.operand: has an axis"},
    {"Accumulator", [](Operator& op) { op.accumulator = Dtype::kI8; }, "accumulator: "},
};
INSTANTIATE_TEST_SUITE_P(All, BadOperatorTest, ::testing::ValuesIn(kBad),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace burnish::op
