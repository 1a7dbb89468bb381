#include "agent/verify/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "agent/verify/poison.h"
#include "agent/verify/tolerance.h"
#include "common/base/elements.h"

namespace burnish::verify {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

spec::Argument Output(Dtype dtype, std::vector<int64_t> shape) {
  spec::Argument argument;
  argument.name = "c";
  argument.dtype = dtype;
  argument.is_buffer = true;
  argument.shape = std::move(shape);
  argument.role = spec::Role::kOutput;
  return argument;
}

template <typename T>
std::span<const std::byte> Bytes(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

OutputCheck CompareFloats(const std::vector<float>& output, const std::vector<float>& expected) {
  return CompareOutput(Output(Dtype::kF32, {static_cast<int64_t>(output.size())}), Bytes(output),
                       Bytes(expected));
}

TEST(CompareOutputTest, AcceptsWhatIsWithinTheTolerance) {
  const OutputCheck check = CompareFloats({1.00005f, -2, 3}, {1, -2, 3});
  EXPECT_TRUE(check.right()) << check.worst;
  EXPECT_NEAR(check.max_relative_error, 4.5e-5, 1e-5);
  EXPECT_GT(check.relative_frobenius, 0);
}

TEST(CompareOutputTest, NamesTheWorstElementAndCountsTheWrongOnes) {
  const OutputCheck check = CompareFloats({1, 2.1f, 0.5f, 4}, {1, 2, 0.25f, 4});
  EXPECT_EQ(check.worst, "c[2]: 0.5, expected 0.25 (2 of 4 elements differ)");
  EXPECT_EQ(check.wrong_elements, 2);
}

TEST(CompareOutputTest, IndicesFollowTheShape) {
  std::vector<int32_t> expected(24);
  std::vector<int32_t> output = expected;
  output[23] = 1;
  const OutputCheck check =
      CompareOutput(Output(Dtype::kI32, {2, 3, 4}), Bytes(output), Bytes(expected));
  EXPECT_EQ(check.worst, "c[1, 2, 3]: 1, expected 0 (1 of 24 elements differ)");
}

TEST(CompareOutputTest, TinyElementsAreNotHeldToARelativeError) {
  EXPECT_TRUE(CompareFloats({1, 1, 1e-6f}, {1, 1, 2e-6f}).right());
  EXPECT_FALSE(CompareFloats({1, 1, 1e-3f}, {1, 1, 2e-3f}).right());
}

TEST(CompareOutputTest, NanAndInfinityAreWrongWhereTheReferenceHasNone) {
  EXPECT_EQ(CompareFloats({1, kNan}, {1, 2}).worst,
            "c[1]: nan, expected 2 (1 of 2 elements differ)");
  EXPECT_EQ(CompareFloats({1, -kInf}, {1, 2}).worst,
            "c[1]: -inf, expected 2 (1 of 2 elements differ)");
  EXPECT_FALSE(CompareFloats({1, 2}, {1, kNan}).right());
  EXPECT_FALSE(CompareFloats({1, -kInf}, {1, kInf}).right());
  EXPECT_TRUE(CompareFloats({1, kNan, kInf}, {1, kNan, kInf}).right());
}

TEST(CompareOutputTest, SaysThatAnElementWasNeverWritten) {
  std::vector<float> output(4);
  Poison(std::as_writable_bytes(std::span(output)));
  output[0] = output[1] = output[2] = 1;
  EXPECT_EQ(CompareFloats(output, {1, 1, 1, 1}).worst,
            "c[3]: never written, expected 1 (1 of 4 elements differ)");
}

TEST(CompareOutputTest, AllZeroReferencesAllowNothingElse) {
  EXPECT_TRUE(CompareFloats({0, -0.0f}, {0, 0}).right());
  EXPECT_FALSE(CompareFloats({0, 1e-30f}, {0, 0}).right());
}

TEST(CompareOutputTest, NegativeReferencesAreHeldToTheirMagnitude) {
  EXPECT_TRUE(CompareFloats({-1.00005f, -2}, {-1, -2}).right());
  EXPECT_FALSE(CompareFloats({-1.001f, -2}, {-1, -2}).right());
  EXPECT_FALSE(CompareFloats({1, 2}, {-1, -2}).right());
  EXPECT_FALSE(CompareFloats({0, -2}, {-1, -2}).right());
}

TEST(CompareOutputTest, NanIsWrongAgainstEveryNumber) {
  for (const float reference : {1.0f, -1.0f, 0.0f, -0.0f, 1e38f, 1e-45f, kInf, -kInf}) {
    for (const float output : {kNan, -kNan}) {
      EXPECT_FALSE(CompareFloats({output, 1}, {reference, 1}).right()) << reference;
      EXPECT_FALSE(CompareFloats({output}, {reference}).right()) << reference;
    }
  }
  EXPECT_FALSE(CompareFloats({kInf, 0}, {0, 0}).right());
  EXPECT_FALSE(CompareFloats({kInf}, {3e38f}).right());
}

TEST(CompareOutputTest, WhereTheReferenceIsNanNothingElseIsRightAndItMustBeWritten) {
  EXPECT_TRUE(CompareFloats({kNan, 1}, {kNan, 1}).right());
  EXPECT_FALSE(CompareFloats({kInf, 1}, {kNan, 1}).right());
  std::vector<float> output = {1, 2};
  Poison(std::as_writable_bytes(std::span(output)).subspan(0, 4));
  EXPECT_EQ(CompareFloats(output, {kNan, 2}).worst,
            "c[0]: never written, expected nan (1 of 2 elements differ)");
}

TEST(CompareOutputTest, WhereOnlyNumbersCountOthersMustBeWrittenAndMayBeAnything) {
  const spec::Argument argument = Output(Dtype::kF32, {3});
  const std::vector<float> expected = {kNan, -kInf, 3};
  const ReferenceFacts facts = {.numbers_only = true};
  std::vector<float> output = {5, kNan, 3};
  EXPECT_TRUE(CompareOutput(argument, Bytes(output), Bytes(expected), facts).right());
  output[2] = kNan;
  EXPECT_FALSE(CompareOutput(argument, Bytes(output), Bytes(expected), facts).right());
  output[2] = 3;
  Poison(std::as_writable_bytes(std::span(output)).subspan(0, 4));
  EXPECT_FALSE(CompareOutput(argument, Bytes(output), Bytes(expected), facts).right());
}

TEST(CompareOutputTest, WhereValuesCancelTheErrorsOnTheWayAreAllowed) {
  const spec::Argument argument = Output(Dtype::kF32, {2});
  const std::vector<float> expected = {0, 1e-7f};
  const std::vector<float> output = {4e-6f, -3e-6f};
  EXPECT_FALSE(CompareOutput(argument, Bytes(output), Bytes(expected)).right());
  const auto against = [&](double least_rms) {
    return CompareOutput(argument, Bytes(output), Bytes(expected), {.least_rms = least_rms});
  };
  EXPECT_TRUE(against(1).right()) << against(1).worst;
  EXPECT_FALSE(against(0.1).right());
  EXPECT_FALSE(CompareOutput(argument, Bytes(std::vector<float>{0.01f, 0}), Bytes(expected),
                             {.least_rms = 1})
                   .right());
}

TEST(CompareOutputTest, ConstantOutputIsWrongAgainstAnythingElse) {
  EXPECT_FALSE(CompareFloats({1, 1, 1, 1}, {1, 1, 1, 1.001f}).right());
  EXPECT_FALSE(CompareFloats({0, 0, 0, 0}, {0, 0, 0, 1e-30f}).right());
}

TEST(CompareOutputTest, ManySmallErrorsAddUpToAWrongBuffer) {
  // Every element just within its own tolerance of 1.1e-4.
  const std::vector<float> expected(1000, 1.0f);
  const std::vector<float> output(1000, 1.000105f);
  const OutputCheck check = CompareFloats(output, expected);
  EXPECT_EQ(check.wrong_elements, 0);
  EXPECT_EQ(check.worst, "c: relative Frobenius error 0.00011, at most 0.0001 is right");
}

TEST(CompareOutputTest, IntegersAreExactBeyondTheBitsOfADouble) {
  const std::vector<int64_t> expected = {(int64_t{1} << 60) + 1};
  const std::vector<int64_t> output = {int64_t{1} << 60};
  EXPECT_FALSE(CompareOutput(Output(Dtype::kI64, {1}), Bytes(output), Bytes(expected)).right());
  EXPECT_TRUE(CompareOutput(Output(Dtype::kI64, {1}), Bytes(expected), Bytes(expected)).right());
}

TEST(CompareOutputTest, HalfPrecisionHasItsOwnTolerance) {
  const std::vector<Half> expected(64, Half::FromDouble(1));
  std::vector<Half> output = expected;
  output[0] = Half::FromDouble(1.02);
  const spec::Argument argument = Output(Dtype::kF16, {64});
  EXPECT_TRUE(CompareOutput(argument, Bytes(output), Bytes(expected)).right());
  output[0] = Half::FromDouble(1.04);
  EXPECT_FALSE(CompareOutput(argument, Bytes(output), Bytes(expected)).right());
}

OutputCheck CompareSample(const std::vector<float>& output, const std::vector<int64_t>& elements,
                          const std::vector<double>& values) {
  return CompareSampled(Output(Dtype::kF32, {2, static_cast<int64_t>(output.size()) / 2}),
                        Bytes(output), elements, values);
}

TEST(CompareSampledTest, ComparesTheElementsThatAreKnown) {
  const OutputCheck right = CompareSample({1, 99, 3.0001f, -7}, {0, 2}, {1, 3});
  EXPECT_TRUE(right.right()) << right.worst;
  EXPECT_NEAR(right.max_relative_error, 3e-5, 1e-5);
  const OutputCheck wrong = CompareSample({1, 99, 3.5f, 5}, {0, 2, 3}, {1, 3, 4});
  EXPECT_EQ(wrong.worst, "c[1, 1]: 5, expected 4 (2 of 3 checked elements differ)");
  EXPECT_EQ(CompareSample({1, 2}, {0, 1}, {1, 3}).worst,
            "c[1, 0]: 2, expected 3 (1 of 2 elements differ)");
}

TEST(CompareSampledTest, OtherElementsMustBeWrittenAndFinite) {
  EXPECT_EQ(CompareSample({1, kInf, 3, kNan}, {0, 2}, {1, 3}).worst,
            "c[0, 1]: inf, expected a number (the first of 2 such elements)");
  std::vector<float> unwritten = {1, 2, 3, 4};
  Poison(std::as_writable_bytes(std::span(unwritten)).subspan(8));
  EXPECT_EQ(CompareSample(unwritten, {0, 1}, {1, 2}).worst,
            "c[1, 0]: never written, expected a number (the first of 2 such elements)");
  // Where infinity may be right, only what was never written is wrong.
  EXPECT_TRUE(CompareSample({kInf, kInf, 3, kNan}, {0, 2}, {kInf, 3}).right());
  unwritten[0] = kInf;
  EXPECT_EQ(CompareSample(unwritten, {0, 1}, {kInf, 2}).wrong_elements, 2);
}

TEST(CompareSampledTest, IntegersAreExactAndMustBeWritten) {
  const spec::Argument argument = Output(Dtype::kI32, {4});
  std::vector<int32_t> output = {1 << 30, -1, -2, -3};
  const std::vector<int64_t> elements = {0, 3};
  const std::vector<double> values = {1 << 30, -3};
  EXPECT_TRUE(CompareSampled(argument, Bytes(output), elements, values).right());
  Poison(std::as_writable_bytes(std::span(output)).subspan(8, 4));
  EXPECT_EQ(CompareSampled(argument, Bytes(output), elements, values).worst,
            "c[2]: never written, expected a number (the first of 1 such elements)");
  output = {(1 << 30) + 1, -1, -2, -3};
  EXPECT_EQ(CompareSampled(argument, Bytes(output), elements, values).worst,
            "c[0]: 1073741825, expected 1073741824 (1 of 2 checked elements differ)");
}

TEST(ToleranceTest, IntegersHaveNone) {
  EXPECT_EQ(ToleranceOf(Dtype::kU8).relative, 0);
  EXPECT_EQ(ToleranceOf(Dtype::kI64).frobenius, 0);
  EXPECT_LT(ToleranceOf(Dtype::kF64).relative, ToleranceOf(Dtype::kF32).relative);
}

TEST(ToleranceTest, TheFrobeniusErrorMayGrowWithTheRootOfTheLengthOfSumsUpToACap) {
  const auto frobenius = [](Dtype dtype, int64_t length) {
    return ToleranceOf(dtype, length).frobenius;
  };
  EXPECT_DOUBLE_EQ(frobenius(Dtype::kF32, 1), 4e-6);
  EXPECT_DOUBLE_EQ(frobenius(Dtype::kF32, 400), 2e-5);
  EXPECT_DOUBLE_EQ(frobenius(Dtype::kF32, 1'000'000), 1e-4);
  EXPECT_DOUBLE_EQ(frobenius(Dtype::kF64, 400), 2e-11);
  for (const Dtype dtype : {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBf16, Dtype::kI32}) {
    EXPECT_EQ(frobenius(dtype, int64_t{1} << 40), ToleranceOf(dtype).frobenius) << "the cap";
  }
}

TEST(ToleranceTest, SmallElementsOfLongSumsHaveMoreRoom) {
  EXPECT_EQ(ToleranceOf(Dtype::kF32, 4096).absolute, ToleranceOf(Dtype::kF32).absolute);
  EXPECT_DOUBLE_EQ(ToleranceOf(Dtype::kF32, 4 * 4096).absolute, 2e-5);
  EXPECT_DOUBLE_EQ(ToleranceOf(Dtype::kF32, int64_t{1} << 40).absolute, 1e-4);
  EXPECT_EQ(ToleranceOf(Dtype::kI32, 1 << 20).absolute, 0);
}

TEST(ToleranceTest, TheLengthOfSumsEntersTheComparison) {
  const std::vector<float> expected(1000, 1.0f);
  const std::vector<float> output(1000, 1.00001f);
  const spec::Argument argument = Output(Dtype::kF32, {1000});
  EXPECT_TRUE(CompareOutput(argument, Bytes(output), Bytes(expected)).right());
  EXPECT_FALSE(
      CompareOutput(argument, Bytes(output), Bytes(expected), {.reduction_length = 16}).right());
  EXPECT_TRUE(
      CompareOutput(argument, Bytes(output), Bytes(expected), {.reduction_length = 400}).right());
}

}  // namespace
}  // namespace burnish::verify
