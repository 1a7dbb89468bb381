#include "agent/config/shutdown_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/time/time.h"
#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/poll.h"

namespace burnish::agent {
namespace {

// What comes in is nobody's: only the end counts.
bool StandardInputEnded() {
  char ignored[4096];
  const ssize_t got = ::read(STDIN_FILENO, ignored, sizeof(ignored));
  return got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
}

}  // namespace

ShutdownWatch::ShutdownWatch(const ShutdownSignals& signals, bool until_stdin_closes,
                             std::stop_source stop)
    : stop_(std::move(stop)), quit_(::eventfd(0, EFD_CLOEXEC)) {
  CHECK(quit_.valid());
  thread_ =
      std::thread([this, fd = signals.fd(), until_stdin_closes] { Watch(fd, until_stdin_closes); });
}

ShutdownWatch::~ShutdownWatch() {
  CHECK(::eventfd_write(quit_.get(), 1) == 0);
  thread_.join();
}

void ShutdownWatch::Watch(int signal_fd, bool until_stdin_closes) {
  pollfd polls[] = {
      {.fd = quit_.get(), .events = POLLIN, .revents = 0},
      {.fd = signal_fd, .events = POLLIN, .revents = 0},
      {.fd = until_stdin_closes ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0},
  };
  while (true) {
    PollUntil(polls, absl::InfiniteDuration());
    if (polls[0].revents != 0) return;
    const bool signalled = polls[1].revents != 0;
    if (!signalled && !StandardInputEnded()) continue;
    Log(LogLevel::kInfo, "ending", {{"reason", signalled ? "signal" : "standard input closed"}});
    stop_.request_stop();
    return;
  }
}

}  // namespace burnish::agent
