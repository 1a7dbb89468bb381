#include "agent/verify/fill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/base/elements.h"

namespace burnish::verify {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;

spec::Argument Input(Dtype dtype, int64_t elements, spec::Fill fill) {
  spec::Argument argument;
  argument.name = "a";
  argument.dtype = dtype;
  argument.is_buffer = true;
  argument.shape = {elements};
  argument.fill = fill;
  return argument;
}

template <typename T>
std::vector<T> Filled(const spec::Argument& argument, uint64_t seed = 1) {
  std::vector<T> values(argument.ElementCount());
  FillBuffer(argument, seed, std::as_writable_bytes(std::span(values)));
  return values;
}

TEST(FillTest, DependsOnSeedAndNameAlone) {
  spec::Argument argument = Input(Dtype::kF32, 100, {});
  const auto values = Filled<float>(argument);
  EXPECT_EQ(values, Filled<float>(argument));
  EXPECT_NE(values, Filled<float>(argument, 2));
  argument.name = "b";
  EXPECT_NE(values, Filled<float>(argument));
}

TEST(FillTest, TheFirstValuesNeverChange) {
  // Stored reference values stand for these inputs.
  EXPECT_THAT(Filled<float>(Input(Dtype::kF32, 2, {})),
              ElementsAre(FloatNear(-0.899749f, 1e-6f), FloatNear(-0.371912f, 1e-6f)));
  EXPECT_THAT(Filled<int32_t>(Input(Dtype::kI32, 4, {})), ElementsAre(-8, -3, 1, 7));
}

TEST(FillTest, UniformCoversItsRange) {
  for (const float value : Filled<float>(Input(Dtype::kF32, 10'000, {}))) {
    ASSERT_GE(value, -1);
    ASSERT_LT(value, 1);
  }
  for (const Half value : Filled<Half>(Input(Dtype::kF16, 10'000, {}))) {
    ASSERT_GE(value.ToDouble(), -1);
    ASSERT_LT(value.ToDouble(), 1);
  }
  for (const BFloat16 value : Filled<BFloat16>(Input(Dtype::kBf16, 10'000, {}))) {
    ASSERT_GE(value.ToDouble(), -1);
    ASSERT_LT(value.ToDouble(), 1);
  }
  const auto integers = Filled<int8_t>(Input(Dtype::kI8, 10'000, {}));
  EXPECT_EQ(*std::ranges::min_element(integers), -8);
  EXPECT_EQ(*std::ranges::max_element(integers), 8);
  const auto naturals = Filled<uint16_t>(Input(Dtype::kU16, 10'000, {}));
  EXPECT_EQ(*std::ranges::min_element(naturals), 0);
  EXPECT_EQ(*std::ranges::max_element(naturals), 16);
}

TEST(FillTest, NormalHasMeanZeroAndDeviationOne) {
  const auto values = Filled<double>(Input(Dtype::kF64, 10'000, {.kind = spec::FillKind::kNormal}));
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 10'000, 0, 0.05);
  EXPECT_NEAR(squares / 10'000, 1, 0.05);
}

TEST(FillTest, ConstantSaturatesIntegers) {
  const spec::Fill fill = {.kind = spec::FillKind::kConstant, .value = 300};
  EXPECT_THAT(Filled<uint8_t>(Input(Dtype::kU8, 3, fill)), Each(255));
  EXPECT_THAT(Filled<float>(Input(Dtype::kF32, 3, fill)), Each(300.0f));
}

TEST(FillTest, RampStartsAgainWhereTheTypeStopsBeingExact) {
  const spec::Fill fill = {.kind = spec::FillKind::kRamp};
  EXPECT_THAT(Filled<int32_t>(Input(Dtype::kI32, 4, fill)), ElementsAre(0, 1, 2, 3));
  const auto bytes = Filled<int8_t>(Input(Dtype::kI8, 130, fill));
  EXPECT_EQ(bytes[127], 127);
  EXPECT_EQ(bytes[128], 0);
  const auto halves = Filled<Half>(Input(Dtype::kF16, 2050, fill));
  EXPECT_EQ(halves[2047].ToDouble(), 2047);
  EXPECT_EQ(halves[2049].ToDouble(), 1);
  const auto bfloats = Filled<BFloat16>(Input(Dtype::kBf16, 258, fill));
  EXPECT_EQ(bfloats[255].ToDouble(), 255);
  EXPECT_EQ(bfloats[257].ToDouble(), 1);
}

}  // namespace
}  // namespace burnish::verify
