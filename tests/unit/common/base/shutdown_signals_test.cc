#include "common/base/shutdown_signals.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

namespace burnish {
namespace {

class ShutdownSignalsTest : public testing::Test {
 protected:
  ShutdownSignalsTest() {
    pthread_sigmask(SIG_BLOCK, nullptr, &mask_);
    ::sigaction(SIGPIPE, nullptr, &pipe_action_);
  }
  ~ShutdownSignalsTest() override {
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
    ::sigaction(SIGPIPE, &pipe_action_, nullptr);
  }

 private:
  sigset_t mask_;
  struct sigaction pipe_action_;
};

TEST_F(ShutdownSignalsTest, TurnsSignalsIntoEvents) {
  ShutdownSignals signals;
  EXPECT_EQ(signals.Wait(absl::ZeroDuration()), std::nullopt);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ::raise(signal);
    pollfd poll{.fd = signals.fd(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&poll, 1, 0), 1);
    EXPECT_EQ(signals.Wait(absl::InfiniteDuration()), signal);
  }
  EXPECT_EQ(signals.Wait(absl::Milliseconds(1)), std::nullopt);
}

TEST_F(ShutdownSignalsTest, IgnoresBrokenPipes) {
  const ShutdownSignals signals;
  ::raise(SIGPIPE);  // would end the test
}

}  // namespace
}  // namespace burnish
