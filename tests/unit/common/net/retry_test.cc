#include "common/net/retry.h"

#include "gtest/gtest.h"

namespace burnish::net {
namespace {

TEST(Backoff, DoublesUpToTheLongestWithJitterBelow) {
  Backoff backoff({.first = absl::Milliseconds(100), .longest = absl::Milliseconds(400)}, 7);
  for (const int base_ms : {100, 200, 400, 400}) {
    const absl::Duration delay = backoff.Next();
    EXPECT_LE(delay, absl::Milliseconds(base_ms));
    EXPECT_GE(delay, absl::Milliseconds(base_ms) / 2);
  }
  backoff.Reset();
  EXPECT_LE(backoff.Next(), absl::Milliseconds(100));
}

class RetryTest : public ::testing::Test {
 protected:
  absl::Status Retry(const std::function<absl::Status()>& call) {
    return RetryIdempotent(call, absl::Seconds(10), backoff_, clock_,
                           [this](absl::Duration delay) { clock_.Advance(delay); });
  }
  SimulatedClock clock_{absl::UnixEpoch()};
  Backoff backoff_{{}, 1};
};

TEST_F(RetryTest, TriesAgainUntilTheServerIsBack) {
  int calls = 0;
  EXPECT_TRUE(
      Retry([&] { return ++calls < 4 ? absl::UnavailableError("down") : absl::OkStatus(); }).ok());
  EXPECT_EQ(calls, 4);
}

TEST_F(RetryTest, DoesNotRepeatWhatWouldFailAgain) {
  int calls = 0;
  EXPECT_EQ(Retry([&] {
              ++calls;
              return absl::NotFoundError("no such job");
            }),
            absl::NotFoundError("no such job"));
  EXPECT_EQ(calls, 1);
}

TEST_F(RetryTest, GivesUpWithTheLastStatus) {
  const absl::Duration start = clock_.Monotonic();
  EXPECT_EQ(Retry([] { return absl::UnavailableError("down"); }), absl::UnavailableError("down"));
  EXPECT_EQ(clock_.Monotonic() - start, absl::Seconds(10));
}

}  // namespace
}  // namespace burnish::net
