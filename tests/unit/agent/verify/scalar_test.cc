#include "agent/verify/scalar.h"

#include <gtest/gtest.h>

#include <cstring>

#include "common/base/elements.h"

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

TEST(StoreScalarTest, GivesEachTypeItsBytes) {
  EXPECT_EQ(Stored<int32_t>(Dtype::kI32, expr::Value(int64_t{-5})), -5);
  EXPECT_EQ(Stored<uint8_t>(Dtype::kU8, expr::Value(true)), 1);
  EXPECT_EQ(Stored<float>(Dtype::kF32, expr::Value(0.5)), 0.5f);
  EXPECT_EQ(Stored<double>(Dtype::kF64, expr::Value(int64_t{3})), 3.0);
  EXPECT_EQ(Stored<Half>(Dtype::kF16, expr::Value(1.0)).bits, 0x3C00);
  EXPECT_EQ(Stored<BFloat16>(Dtype::kBf16, expr::Value(1.0)).bits, 0x3F80);
}

TEST(StoreScalarTest, KeepsAllBitsOfA64BitInteger) {
  const int64_t odd = (int64_t{1} << 62) + 1;
  EXPECT_EQ(Stored<int64_t>(Dtype::kI64, expr::Value(odd)), odd);
}

}  // namespace
}  // namespace burnish::verify
