#include "agent/verify/elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace burnish::verify {
namespace {

template <typename T>
T Stored(Dtype dtype, const expr::Value& value) {
  uint64_t bytes = 0;
  StoreScalar(dtype, value, &bytes);
  T element;
  std::memcpy(&element, &bytes, sizeof(element));
  return element;
}

TEST(HalfTest, EveryFiniteValueSurvivesTheWayThroughDouble) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<uint16_t>(bits)};
    const double value = half.ToDouble();
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(Half::FromDouble(value).ToDouble()));
    } else {
      ASSERT_EQ(Half::FromDouble(value).bits, bits);
    }
  }
}

TEST(HalfTest, RoundsToNearestEven) {
  EXPECT_EQ(Half::FromDouble(1 + 0x1p-11).ToDouble(), 1);
  EXPECT_EQ(Half::FromDouble(1 + 3 * 0x1p-11).ToDouble(), 1 + 0x1p-9);
  EXPECT_EQ(Half::FromDouble(2047.6).ToDouble(), 2048);
  EXPECT_EQ(Half::FromDouble(65519).ToDouble(), 65504);
  EXPECT_EQ(Half::FromDouble(65520).ToDouble(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(Half::FromDouble(0x1p-14 - 0x1p-26).ToDouble(), 0x1p-14);
  EXPECT_EQ(Half::FromDouble(-1e-10).bits, 0x8000);
}

TEST(StoreScalarTest, GivesEachTypeItsBytes) {
  EXPECT_EQ(Stored<int32_t>(Dtype::kI32, expr::Value(int64_t{-5})), -5);
  EXPECT_EQ(Stored<uint8_t>(Dtype::kU8, expr::Value(true)), 1);
  EXPECT_EQ(Stored<float>(Dtype::kF32, expr::Value(0.5)), 0.5f);
  EXPECT_EQ(Stored<double>(Dtype::kF64, expr::Value(int64_t{3})), 3.0);
  EXPECT_EQ(Stored<Half>(Dtype::kF16, expr::Value(1.0)).bits, 0x3C00);
}

TEST(StoreScalarTest, KeepsAllBitsOfA64BitInteger) {
  const int64_t odd = (int64_t{1} << 62) + 1;
  EXPECT_EQ(Stored<int64_t>(Dtype::kI64, expr::Value(odd)), odd);
}

TEST(ElementFromDoubleTest, IntegersSaturate) {
  EXPECT_EQ(ElementFromDouble<int64_t>(1e30), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(ElementFromDouble<int64_t>(-1e30), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ElementFromDouble<uint64_t>(1.8446744073709552e19),
            std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(ElementFromDouble<uint8_t>(-1), 0);
  EXPECT_EQ(ElementFromDouble<int32_t>(std::nan("")), 0);
}

}  // namespace
}  // namespace burnish::verify
