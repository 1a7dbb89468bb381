#include "common/base/elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace burnish {
namespace {

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

TEST(BFloat16Test, EveryValueSurvivesTheWayThroughDouble) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const BFloat16 element{static_cast<uint16_t>(bits)};
    const double value = element.ToDouble();
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(BFloat16::FromDouble(value).ToDouble()));
    } else {
      ASSERT_EQ(BFloat16::FromDouble(value).bits, bits);
    }
  }
}

TEST(BFloat16Test, RoundsToNearestEven) {
  EXPECT_EQ(BFloat16::FromDouble(1 + 0x1p-8).ToDouble(), 1);
  EXPECT_EQ(BFloat16::FromDouble(1 + 3 * 0x1p-8).ToDouble(), 1 + 0x1p-6);
  EXPECT_EQ(BFloat16::FromDouble(-255.9).ToDouble(), -256);
  EXPECT_EQ(BFloat16::FromDouble(0x1.FEFFp127).ToDouble(), 0x1.FEp127);
  EXPECT_EQ(BFloat16::FromDouble(0x1.FFp127).ToDouble(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(BFloat16::FromDouble(0x1p-126 - 0x1p-136).ToDouble(), 0x1p-126);
  EXPECT_EQ(BFloat16::FromDouble(0x1p-134).bits, 0);
  EXPECT_EQ(BFloat16::FromDouble(-1e-300).bits, 0x8000);
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
}  // namespace burnish
