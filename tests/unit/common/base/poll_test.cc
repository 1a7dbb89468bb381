#include "common/base/poll.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/unique_fd.h"

namespace burnish {
namespace {

class PollUntilTest : public testing::Test {
 protected:
  PollUntilTest() {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    output_ = UniqueFd(ends[0]);
    input_ = UniqueFd(ends[1]);
    poll_ = {.fd = output_.get(), .events = POLLIN, .revents = 0};
  }

  UniqueFd output_, input_;
  pollfd poll_;
};

TEST_F(PollUntilTest, ReturnsAtTheDeadline) {
  EXPECT_FALSE(PollUntil({&poll_, 1}, DeadlineAfter(-absl::Seconds(1))));
  const absl::Duration deadline = DeadlineAfter(absl::Milliseconds(2));
  EXPECT_FALSE(PollUntil({&poll_, 1}, deadline));
  EXPECT_GE(SystemClock().Monotonic(), deadline);
}

TEST_F(PollUntilTest, SeesAnEventEvenAfterTheDeadline) {
  ASSERT_EQ(::write(input_.get(), "x", 1), 1);
  EXPECT_TRUE(PollUntil({&poll_, 1}, absl::ZeroDuration()));
  EXPECT_EQ(poll_.revents, POLLIN);
}

TEST_F(PollUntilTest, WaitsWithoutADeadline) {
  input_.Reset();
  EXPECT_TRUE(PollUntil({&poll_, 1}, DeadlineAfter(absl::InfiniteDuration())));
  EXPECT_EQ(poll_.revents, POLLHUP);
}

}  // namespace
}  // namespace burnish
