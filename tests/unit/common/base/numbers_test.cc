#include "common/base/numbers.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "common/base/random.h"

namespace burnish {
namespace {

TEST(FormatReal, IsShortAndKeepsThePoint) {
  EXPECT_EQ(FormatReal(0), "0.0");
  EXPECT_EQ(FormatReal(-0.0), "-0.0");
  EXPECT_EQ(FormatReal(1), "1.0");
  EXPECT_EQ(FormatReal(100000), "100000.0");
  EXPECT_EQ(FormatReal(0.1), "0.1");
  EXPECT_EQ(FormatReal(-2.5), "-2.5");
  EXPECT_EQ(FormatReal(0.0001), "0.0001");
  EXPECT_EQ(FormatReal(1e-5), "1e-05");
  EXPECT_EQ(FormatReal(1e16), "1e+16");
  EXPECT_EQ(FormatReal(1e300), "1e+300");
  EXPECT_EQ(FormatReal(0x1p60), "1.152921504606847e+18");
}

TEST(FormatReal, ReadsBackToTheSameBits) {
  RandomStream random(1, "numbers_test");
  for (int i = 0; i < 100'000; ++i) {
    const double value = std::bit_cast<double>(random.NextUint64());
    if (!std::isfinite(value)) continue;
    const std::optional<double> back = ParseReal(FormatReal(value));
    ASSERT_TRUE(back.has_value()) << FormatReal(value);
    ASSERT_EQ(std::bit_cast<uint64_t>(*back), std::bit_cast<uint64_t>(value));
  }
  for (const double value : {std::numeric_limits<double>::denorm_min(),
                             std::numeric_limits<double>::max(), 9999999999999998.0}) {
    EXPECT_EQ(ParseReal(FormatReal(value)), value);
  }
}

TEST(ParseReal, TakesDecimalNumbersOnly) {
  EXPECT_EQ(ParseReal("3"), 3.0);
  EXPECT_EQ(ParseReal("+1.5e3"), 1500.0);
  EXPECT_EQ(ParseReal("-.5"), -0.5);
  for (const char* text : {"", "+", "-", "+-1", "1 ", " 1", "1,5", "1e400", "inf", "-inf", "nan",
                           "NaN", "infinity", "0x10", "1f", "e5"}) {
    EXPECT_EQ(ParseReal(text), std::nullopt) << text;
  }
}

TEST(ParseInteger, TakesTheWholeRangeAndNothingElse) {
  EXPECT_EQ(ParseInteger("9223372036854775807"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(ParseInteger("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ParseInteger("+7"), 7);
  EXPECT_EQ(ParseInteger("010"), 10);
  for (const char* text :
       {"", "+", "--1", "+-1", "9223372036854775808", "1.0", "1e3", "0x1", "1 "}) {
    EXPECT_EQ(ParseInteger(text), std::nullopt) << text;
  }
}

TEST(FormatSeconds, ShowsFourDigitsInTheFittingUnit) {
  EXPECT_EQ(FormatSeconds(201e-6), "201.0 µs");
  EXPECT_EQ(FormatSeconds(1.23456e-9), "1.235 ns");
  EXPECT_EQ(FormatSeconds(12.3456e-3), "12.35 ms");
  EXPECT_EQ(FormatSeconds(1), "1.000 s");
  EXPECT_EQ(FormatSeconds(123456), "123456 s");
  EXPECT_EQ(FormatSeconds(-0.002), "-2.000 ms");
  EXPECT_EQ(FormatSeconds(0), "0 s");
}

TEST(FormatSeconds, ChoosesTheUnitAfterRounding) {
  EXPECT_EQ(FormatSeconds(999.94e-9), "999.9 ns");
  EXPECT_EQ(FormatSeconds(999.96e-9), "1.000 µs");
  EXPECT_EQ(FormatSeconds(0.99999), "1.000 s");
}

TEST(FormatSeconds, StaysInNanosecondsBelowOne) { EXPECT_EQ(FormatSeconds(1.5e-10), "0.1500 ns"); }

TEST(FormatRate, ScalesTheUnit) {
  EXPECT_EQ(FormatRate(1.34e9, "FLOP/s"), "1.340 GFLOP/s");
  EXPECT_EQ(FormatRate(12, "trials/s"), "12.00 trials/s");
  EXPECT_EQ(FormatRate(0.5, "trials/s"), "0.5000 trials/s");
  EXPECT_EQ(FormatRate(2.5e12, "B/s"), "2.500 TB/s");
}

}  // namespace
}  // namespace burnish
