#include "agent/verify/input_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/verify/fill.h"
#include "common/base/elements.h"

namespace burnish::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;

spec::Argument Input(Dtype dtype, std::vector<int64_t> shape, spec::FillKind kind) {
  spec::Argument argument;
  argument.name = "a";
  argument.dtype = dtype;
  argument.is_buffer = true;
  argument.shape = std::move(shape);
  argument.fill.kind = kind;
  return argument;
}

template <typename T>
std::vector<T> Filled(const spec::Argument& argument, InputSet set, uint64_t seed = 1) {
  std::vector<T> values(argument.ElementCount());
  FillBuffer(argument, set, seed, std::as_writable_bytes(std::span(values)));
  return values;
}

std::vector<double> FilledReals(const spec::Argument& argument, InputSet set) {
  return WithElementType(argument.dtype, [&]<typename T>() {
    std::vector<double> reals;
    for (const T value : Filled<T>(argument, set)) reals.push_back(ElementToDouble(value));
    return reals;
  });
}

TEST(InputSetTest, AsFilledIsWhatTheJobFileSays) {
  const spec::Argument argument = Input(Dtype::kF32, {100}, spec::FillKind::kNormal);
  std::vector<float> values(100);
  FillBuffer(argument, 7, std::as_writable_bytes(std::span(values)));
  EXPECT_EQ(Filled<float>(argument, InputSet::kAsFilled, 7), values);
}

TEST(InputSetTest, ConstantsAndRampsAreTheSameInAllSets) {
  for (const spec::FillKind kind : {spec::FillKind::kConstant, spec::FillKind::kRamp}) {
    spec::Argument argument = Input(Dtype::kI32, {10, 10}, kind);
    argument.fill.value = 3;
    EXPECT_FALSE(VariesBySet(argument));
    const auto values = Filled<int32_t>(argument, InputSet::kAsFilled);
    EXPECT_EQ(Filled<int32_t>(argument, InputSet::kStructured), values);
    EXPECT_EQ(Filled<int32_t>(argument, InputSet::kAdversarial), values);
  }
}

TEST(InputSetTest, SetsDependOnSeedAndName) {
  spec::Argument argument = Input(Dtype::kF32, {20, 20}, spec::FillKind::kUniform);
  for (const InputSet set : {InputSet::kStructured, InputSet::kAdversarial}) {
    argument.name = "a";
    const auto values = Filled<float>(argument, set);
    EXPECT_EQ(values, Filled<float>(argument, set));
    EXPECT_NE(values, Filled<float>(argument, set, 2)) << InputSetName(set);
    argument.name = "b";
    EXPECT_NE(values, Filled<float>(argument, set)) << InputSetName(set);
  }
}

TEST(InputSetTest, TheFirstValuesNeverChange) {
  // Stored reference values stand for these inputs.
  const spec::Argument floats = Input(Dtype::kF32, {2, 3}, spec::FillKind::kUniform);
  EXPECT_THAT(Filled<float>(floats, InputSet::kStructured),
              ElementsAre(0.03125f, 0.0625f, 0.09375f, -0.125f, -0.15625f, -0.1875f));
  EXPECT_THAT(Filled<float>(floats, InputSet::kAdversarial),
              ElementsAre(FloatNear(-0.0684001f, 1e-6f), 1 - 0x1p-23f, FloatNear(-0.684492f, 1e-6f),
                          FloatNear(-0.684492f, 1e-6f), FloatNear(0.428342f, 1e-6f),
                          FloatNear(-0.30128f, 1e-6f)));
}

struct Bounds {
  spec::FillKind kind;
  double low, high;
};

void ExpectWithin(Dtype dtype, const Bounds& bounds) {
  const spec::Argument argument = Input(dtype, {300, 77}, bounds.kind);
  for (const InputSet set : {InputSet::kStructured, InputSet::kAdversarial}) {
    const std::vector<double> values = FilledReals(argument, set);
    const std::string where = absl::StrCat(DtypeName(dtype), " ", std::string(InputSetName(set)));
    const auto [least, most] = std::ranges::minmax(values);
    // Random numbers of `normal` may lie a little beyond.
    const double slack = bounds.kind == spec::FillKind::kNormal ? 1.5 : 1;
    EXPECT_GE(least, bounds.low * slack) << where;
    EXPECT_LE(most, bounds.high * slack) << where;
    EXPECT_LE(least, bounds.low * 0.9) << where << ": as small as may be";
    EXPECT_GE(most, bounds.high * 0.9) << where << ": as large as may be";
    for (const double value : values) {
      ASSERT_TRUE(value == 0 || std::abs(value) >= 0x1p-12) << where << " " << value;
    }
  }
}

TEST(InputSetTest, NumbersStayWithinWhatTheFillPromises) {
  for (const Dtype dtype : {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
    ExpectWithin(dtype, {spec::FillKind::kUniform, -1, 1});
    ExpectWithin(dtype, {spec::FillKind::kNormal, -4, 4});
    for (const double value :
         FilledReals(Input(dtype, {100'000}, spec::FillKind::kUniform), InputSet::kAdversarial)) {
      ASSERT_LT(value, 1) << DtypeName(dtype);
    }
  }
  for (const Dtype dtype : {Dtype::kI64, Dtype::kI32, Dtype::kI16, Dtype::kI8}) {
    ExpectWithin(dtype, {spec::FillKind::kUniform, -8, 8});
    ExpectWithin(dtype, {spec::FillKind::kNormal, -16, 16});
  }
  for (const Dtype dtype : {Dtype::kU64, Dtype::kU32, Dtype::kU16, Dtype::kU8}) {
    ExpectWithin(dtype, {spec::FillKind::kUniform, 0, 16});
    ExpectWithin(dtype, {spec::FillKind::kNormal, 0, 16});
  }
}

TEST(InputSetTest, StructuredRowsHaveOneSignAndNeighboursDiffer) {
  const auto values =
      Filled<float>(Input(Dtype::kF32, {8, 50}, spec::FillKind::kUniform), InputSet::kStructured);
  for (int64_t i = 0; i < 400; ++i) {
    ASSERT_EQ(values[i] < 0, i / 50 % 4 == 1) << i;
    if (i + 50 < 400) {
      ASSERT_NE(values[i], values[i + 50]) << "another row";
    }
    if (i + 1 < 400) {
      ASSERT_NE(values[i], values[i + 1]) << "another column";
    }
  }
}

TEST(InputSetTest, AdversarialNumbersHoldZerosTiesAndPairsThatCancel) {
  const auto values =
      Filled<float>(Input(Dtype::kF32, {10'000}, spec::FillKind::kUniform), InputSet::kAdversarial);
  int zeros = 0, ties = 0, pairs = 0, tiny = 0, least = 0, most = 0;
  double sum = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    sum += values[i];
    zeros += values[i] == 0;
    ties += values[i] != 0 && values[i] == values[i - 1];
    pairs += values[i] != 0 && values[i] == -values[i - 1];
    tiny += values[i] != 0 && std::abs(values[i]) < 0x1p-8;
    least += values[i] == -1;
    most += values[i] == 1 - 0x1p-23f;
  }
  for (const int count : {zeros, ties, pairs, tiny, least, most}) EXPECT_GT(count, 200);
  EXPECT_GT(sum, 200) << "a sum of all does not vanish";
}

}  // namespace
}  // namespace burnish::verify
