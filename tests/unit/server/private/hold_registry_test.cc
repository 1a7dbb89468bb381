#include "server/private/hold_registry.h"

#include "gtest/gtest.h"

namespace burnish::server {
namespace {

class HoldRegistryTest : public ::testing::Test {
 protected:
  SimulatedClock clock_{absl::UnixEpoch()};
  HoldRegistry registry_{clock_, {.linger = absl::Seconds(1), .first_hold = absl::Seconds(10)}};
};

TEST_F(HoldRegistryTest, WaitsForTheFirstClient) {
  clock_.Advance(absl::Seconds(9));
  EXPECT_FALSE(registry_.TryEndServer());
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(registry_.TryEndServer());
}

TEST_F(HoldRegistryTest, EndsALittleAfterTheLastClient) {
  EXPECT_TRUE(registry_.Begin("a"));
  EXPECT_TRUE(registry_.Begin("b"));
  clock_.Advance(absl::Hours(1));
  EXPECT_FALSE(registry_.TryEndServer());
  EXPECT_TRUE(registry_.End("a"));
  clock_.Advance(absl::Hours(1));
  EXPECT_FALSE(registry_.TryEndServer());
  EXPECT_TRUE(registry_.End("b"));
  EXPECT_FALSE(registry_.TryEndServer());
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(registry_.TryEndServer());
}

TEST_F(HoldRegistryTest, StaysForAClientThatComesInTime) {
  registry_.Begin("a");
  registry_.End("a");
  clock_.Advance(absl::Milliseconds(900));
  EXPECT_TRUE(registry_.Begin("b"));
  clock_.Advance(absl::Seconds(5));
  EXPECT_FALSE(registry_.TryEndServer());
}

TEST_F(HoldRegistryTest, TurnsClientsAwayOnceItEnds) {
  clock_.Advance(absl::Seconds(10));
  ASSERT_TRUE(registry_.TryEndServer());
  EXPECT_FALSE(registry_.Begin("a"));
  EXPECT_TRUE(registry_.TryEndServer());
}

TEST_F(HoldRegistryTest, KeepsAHoldUntilItsLastStreamEnds) {
  registry_.Begin("a");
  registry_.Begin("a");
  EXPECT_FALSE(registry_.End("a"));
  EXPECT_TRUE(registry_.IsHeld("a"));
  EXPECT_TRUE(registry_.End("a"));
  EXPECT_FALSE(registry_.IsHeld("a"));
  EXPECT_FALSE(registry_.End("a"));
}

}  // namespace
}  // namespace burnish::server
