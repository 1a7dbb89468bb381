#include "common/op/evaluate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "common/base/elements.h"
#include "common/base/random.h"
#include "common/op/einsum.h"
#include "common/op/validity.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::op {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

// A tensor of small numbers, in the form of memory and as numbers.
struct Content {
  std::vector<std::byte> bytes;
  std::vector<double> values;
};

Content Random(const Tensor& tensor, RandomStream& random) {
  Content content;
  int64_t count = 1;
  for (const int64_t extent : tensor.shape) count *= extent;
  WithElementType(tensor.dtype, [&]<typename T>() {
    content.bytes.resize(count * sizeof(T));
    for (int64_t i = 0; i < count; ++i) {
      const double number = IsFloating(tensor.dtype)
                                ? random.Normal()
                                : static_cast<double>(random.UniformBelow(256)) - 128;
      const T element = ElementFromDouble<T>(number);
      std::memcpy(content.bytes.data() + i * sizeof(T), &element, sizeof(T));
      content.values.push_back(ElementToDouble(element));
    }
  });
  return content;
}

std::vector<Content> RandomContents(const Operator& op) {
  RandomStream random(1, "evaluate test");
  std::vector<Content> contents;
  for (const Tensor& tensor : op.tensors) contents.push_back(Random(tensor, random));
  return contents;
}

std::vector<double> EvaluateAll(const Operator& op, const std::vector<Content>& contents) {
  std::vector<std::span<const std::byte>> tensors;
  for (const Content& content : contents) tensors.push_back(content.bytes);
  tensors[op.output.tensor] = {};  // is not read
  std::vector<int64_t> elements(contents[op.output.tensor].values.size());
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<int64_t>(i);
  return Evaluate(op, tensors, elements);
}

struct MatmulCase {
  int64_t batch = 1;
  bool transpose_a = false;
  bool transpose_b = false;
  Dtype a = Dtype::kF32;
  Dtype b = Dtype::kF32;
  Dtype output = Dtype::kF32;
  std::vector<std::string> epilogue;
};

constexpr int64_t kM = 3, kN = 5, kK = 7;

double Epilogue(const std::string& step, double x, double operand) {
  if (step == "relu") return std::max(x, 0.0);
  if (step == "gelu") return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
  if (step == "gelu_tanh") {
    return x / (1 + std::exp(-2 * std::sqrt(2 / M_PI) * (x + 0.044715 * std::pow(x, 3))));
  }
  return x + operand;
}

void ExpectTripleLoop(const MatmulCase& test) {
  EinsumOptions options{.extents = {{"m", kM}, {"n", kN}, {"k", kK}},
                        .a = test.a,
                        .b = test.b,
                        .output = test.output,
                        .epilogue = test.epilogue};
  const std::string expression =
      MatmulExpression(test.batch > 1, test.transpose_a, test.transpose_b);
  options.expression = expression;
  if (test.batch > 1) options.extents["b"] = test.batch;
  const auto op = Einsum(options);
  ASSERT_TRUE(op.ok()) << op.status();
  const std::vector<Content> contents = RandomContents(*op);
  const std::vector<double>& a = contents[0].values;
  const std::vector<double>& b = contents[1].values;
  std::vector<double> expected;
  for (int64_t batch = 0; batch < test.batch; ++batch) {
    for (int64_t m = 0; m < kM; ++m) {
      for (int64_t n = 0; n < kN; ++n) {
        double sum = 0;
        for (int64_t k = 0; k < kK; ++k) {
          const int64_t at_a = test.transpose_a ? k * kM + m : m * kK + k;
          const int64_t at_b = test.transpose_b ? n * kK + k : k * kN + n;
          sum += a[batch * kM * kK + at_a] * b[batch * kK * kN + at_b];
        }
        size_t operand = 2;
        for (const std::string& step : test.epilogue) {
          double added = 0;
          if (step == "bias") added = contents[operand++].values[n];
          if (step == "residual") {
            added = contents[operand++].values[(batch * kM + m) * kN + n];
          }
          sum = Epilogue(step, sum, added);
        }
        expected.push_back(sum);
      }
    }
  }
  const double tolerance = IsFloating(test.output) ? 1e-12 : 0;
  EXPECT_THAT(EvaluateAll(*op, contents), Pointwise(DoubleNear(tolerance), expected))
      << options.expression << " " << DtypeName(test.a);
}

TEST(EvaluateTest, MatrixProductsInEveryLayout) {
  for (const int64_t batch : {1, 4}) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        ExpectTripleLoop({.batch = batch, .transpose_a = transpose_a, .transpose_b = transpose_b});
      }
    }
  }
}

TEST(EvaluateTest, EveryDtype) {
  ExpectTripleLoop({.a = Dtype::kF64, .b = Dtype::kF64, .output = Dtype::kF64});
  ExpectTripleLoop({.a = Dtype::kBf16, .b = Dtype::kBf16, .output = Dtype::kBf16});
  ExpectTripleLoop({.a = Dtype::kBf16, .b = Dtype::kBf16});
  for (const Dtype a : {Dtype::kI8, Dtype::kU8}) {
    for (const Dtype b : {Dtype::kI8, Dtype::kU8}) {
      ExpectTripleLoop({.a = a, .b = b, .output = Dtype::kI32, .epilogue = {"bias", "relu"}});
    }
  }
}

TEST(EvaluateTest, EveryEpilogueInItsOrder) {
  ExpectTripleLoop({.epilogue = {"bias", "relu"}});
  ExpectTripleLoop({.epilogue = {"relu", "bias"}});
  ExpectTripleLoop({.batch = 2, .epilogue = {"residual", "gelu", "bias"}});
  ExpectTripleLoop({.epilogue = {"gelu_tanh", "residual"}});
}

TEST(EvaluateTest, SeveralReductionAxesAndNone) {
  const auto op = Einsum({.expression = "kml,lnk->nm",
                          .extents = {{"m", 2}, {"n", 3}, {"k", 4}, {"l", 5}},
                          .a = Dtype::kF64,
                          .b = Dtype::kF64,
                          .output = Dtype::kF64});
  ASSERT_TRUE(op.ok()) << op.status();
  const std::vector<Content> contents = RandomContents(*op);
  std::vector<double> expected;
  for (int n = 0; n < 3; ++n) {
    for (int m = 0; m < 2; ++m) {
      double sum = 0;
      for (int k = 0; k < 4; ++k) {
        for (int l = 0; l < 5; ++l) {
          sum += contents[0].values[(k * 2 + m) * 5 + l] * contents[1].values[(l * 3 + n) * 4 + k];
        }
      }
      expected.push_back(sum);
    }
  }
  EXPECT_THAT(EvaluateAll(*op, contents), Pointwise(DoubleNear(1e-12), expected));

  const auto outer = Einsum({.expression = "m,n->mn", .extents = {{"m", 2}, {"n", 2}}});
  ASSERT_TRUE(outer.ok()) << outer.status();
  const std::vector<Content> vectors = RandomContents(*outer);
  const std::vector<double>& x = vectors[0].values;
  const std::vector<double>& y = vectors[1].values;
  EXPECT_THAT(EvaluateAll(*outer, vectors),
              ElementsAre(x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1]));
}

// c[y] = sum over r of x[2 y + r - 1] * w[r], with zeros around x.
Operator PaddedConvolution() {
  Operator op{.name = "convolution"};
  op.axes = {{"y", 3}, {"r", 3, true}};
  op.tensors = {{"x", Dtype::kF64, {5}}, {"w", Dtype::kF64, {3}}, {"c", Dtype::kF64, {3}}};
  op.factors = {{.tensor = 0,
                 .indices = {{.terms = {{.axis = 0, .coefficient = 2}, {.axis = 1}}, .offset = -1}},
                 .guarded = true},
                {.tensor = 1, .indices = {{.terms = {{.axis = 1}}}}}};
  op.output = {.tensor = 2, .indices = {{.terms = {{.axis = 0}}}}};
  op.accumulator = Dtype::kF64;
  return op;
}

TEST(EvaluateTest, AGuardedAccessReadsZerosOutside) {
  const Operator op = PaddedConvolution();
  ASSERT_TRUE(CheckOperator(op).ok()) << CheckOperator(op);
  const double x[] = {1, 2, 3, 4, 5};
  const double w[] = {10, 100, 1000};
  const int64_t elements[] = {0, 1, 2};
  EXPECT_THAT(
      Evaluate(op, {std::as_bytes(std::span(x)), std::as_bytes(std::span(w)), {}}, elements),
      ElementsAre(100 + 2000, 20 + 300 + 4000, 40 + 500));
}

Operator Matmul(int64_t m, int64_t n, int64_t k) {
  return Einsum({.expression = "mk,kn->mn", .extents = {{"m", m}, {"n", n}, {"k", k}}}).value();
}

TEST(SampleOutputTest, TakesAllElementsIfTheBudgetAllowsIt) {
  const int64_t points = int64_t{20} * 30 * (40 + 16);
  EXPECT_EQ(SampleOutput(Matmul(20, 30, 40), 1, points).size(), 600u);
  EXPECT_LT(SampleOutput(Matmul(20, 30, 40), 1, points - 1).size(), 600u);
  EXPECT_EQ(SampleOutput(Matmul(8, 8, 40), 1, 1).size(), 64u);
  EXPECT_EQ(SampleOutput(Matmul(1, 1, 1), 1, 1), std::vector<int64_t>{0});
}

TEST(SampleOutputTest, AlwaysHasTheCorners) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<int64_t> sample = SampleOutput(Matmul(100, 200, 300), seed, 1);
    EXPECT_GE(sample.size(), 64u);
    EXPECT_TRUE(std::ranges::is_sorted(sample));
    EXPECT_EQ(std::set(sample.begin(), sample.end()).size(), sample.size());
    for (const int64_t corner : {0, 199, 99 * 200, 99 * 200 + 199}) {
      EXPECT_TRUE(std::ranges::binary_search(sample, corner)) << corner;
    }
    EXPECT_LT(sample.back(), 100 * 200);
  }
}

TEST(SampleOutputTest, DependsOnTheSeedAloneAndPrefersEdges) {
  const Operator op = Matmul(1000, 1000, 10);
  const std::vector<int64_t> sample = SampleOutput(op, 7, 26'000);
  EXPECT_EQ(sample, SampleOutput(op, 7, 26'000));
  EXPECT_NE(sample, SampleOutput(op, 8, 26'000));
  const auto edges = std::ranges::count_if(sample, [](int64_t element) {
    return element / 1000 % 999 == 0 || element % 1000 % 999 == 0;
  });
  // Half of the draws are at an edge of one axis only; a quarter at corners, which count once.
  EXPECT_NEAR(static_cast<double>(edges) / static_cast<double>(sample.size()), 2.0 / 3, 0.1);
}

}  // namespace
}  // namespace burnish::op
