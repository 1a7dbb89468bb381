#include "common/base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

namespace burnish {
namespace {

TEST(RandomStream, GivesTheSameNumbersForEver) {
  RandomStream random(1, "test");
  EXPECT_EQ(random.NextUint64(), 13244520173624695348u);
  EXPECT_EQ(random.NextUint64(), 11481554524651224730u);
}

TEST(RandomStream, DiffersBySeedPurposeAndIndex) {
  std::set<uint64_t> firsts;
  for (const uint64_t seed : {1, 2}) {
    for (const char* purpose : {"a", "b"}) {
      for (const uint64_t index : {0, 1}) {
        firsts.insert(RandomStream(seed, purpose, index).NextUint64());
      }
    }
  }
  EXPECT_EQ(firsts.size(), 8u);
}

TEST(RandomStream, IsUniformBelowABound) {
  RandomStream random(7, "uniform");
  std::array<int, 5> counts{};
  for (int i = 0; i < 50'000; ++i) ++counts.at(random.UniformBelow(5));
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
  EXPECT_EQ(random.UniformBelow(1), 0u);
}

TEST(RandomStream, HasTheMomentsOfItsDistributions) {
  RandomStream random(7, "moments");
  constexpr int kDraws = 50'000;
  double uniform = 0, normal = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = random.UniformReal();
    ASSERT_TRUE(u >= 0 && u < 1);
    const double n = random.Normal();
    ASSERT_TRUE(std::isfinite(n));
    uniform += u;
    normal += n;
    squares += n * n;
  }
  EXPECT_NEAR(uniform / kDraws, 0.5, 0.01);
  EXPECT_NEAR(normal / kDraws, 0, 0.02);
  EXPECT_NEAR(squares / kDraws, 1, 0.03);
}

TEST(RandomHexId, IsUniqueAndOf32Digits) {
  const std::string id = RandomHexId();
  EXPECT_EQ(id.size(), 32u);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(RandomHexId(), id);
}

TEST(RandomSecret, IsUniqueAndOf64Digits) {
  const std::string secret = RandomSecret();
  EXPECT_EQ(secret.size(), 64u);
  EXPECT_EQ(secret.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(RandomSecret(), secret);
}

}  // namespace
}  // namespace burnish
