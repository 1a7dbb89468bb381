// Waiting for file descriptors with a deadline instead of a timeout per call. Thread-safe.
#pragma once

#include <poll.h>

#include <span>

#include "absl/time/time.h"

namespace burnish {

// SystemClock().Monotonic() + timeout; a negative timeout means "already due".
absl::Duration DeadlineAfter(absl::Duration timeout);

// Waits until a descriptor of `fds` has an event and fills in `revents`; false once the deadline
// (in SystemClock().Monotonic() time, may be infinite) has passed. Interrupting signals are waited
// through. A deadline in the past still looks once.
bool PollUntil(std::span<pollfd> fds, absl::Duration deadline);

}  // namespace burnish
