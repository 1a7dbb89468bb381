#include "agent/worker/hangup_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <thread>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/poll.h"

namespace burnish::worker {
namespace {

constexpr absl::Duration kUnwindTime = absl::Seconds(1);

}  // namespace

int WatchForHangup(int fd) {
  const int hangup_fd = ::eventfd(0, EFD_CLOEXEC);
  CHECK(hangup_fd >= 0);
  std::thread([fd, hangup_fd] {
    // Data is not waited for: it may be there before the end of file is.
    pollfd poll{.fd = fd, .events = POLLRDHUP, .revents = 0};
    PollUntil({&poll, 1}, absl::InfiniteDuration());
    CHECK(::eventfd_write(hangup_fd, 1) == 0);
    SleepThread(kUnwindTime);
    ::_exit(0);  // runners die with us
  }).detach();
  return hangup_fd;
}

}  // namespace burnish::worker
