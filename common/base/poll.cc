#include "common/base/poll.h"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/base/check.h"
#include "common/base/clock.h"

namespace burnish {

absl::Duration DeadlineAfter(absl::Duration timeout) {
  return SystemClock().Monotonic() + std::max(timeout, absl::ZeroDuration());
}

bool PollUntil(std::span<pollfd> fds, absl::Duration deadline) {
  while (true) {
    const absl::Duration left =
        std::max(deadline - SystemClock().Monotonic(), absl::ZeroDuration());
    const bool forever = deadline == absl::InfiniteDuration();
    const timespec timeout = forever ? timespec{} : absl::ToTimespec(left);
    const int ready = ::ppoll(fds.data(), fds.size(), forever ? nullptr : &timeout, nullptr);
    if (ready >= 0) return ready > 0;
    CHECK(errno == EINTR) << "ppoll: " << std::strerror(errno);
  }
}

}  // namespace burnish
