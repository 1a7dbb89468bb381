#include "common/net/retry.h"

#include <algorithm>

namespace burnish::net {

Backoff::Backoff(const BackoffOptions& options, uint64_t seed)
    : options_(options), base_(options.first), random_(seed, "backoff") {}

absl::Duration Backoff::Next() {
  const absl::Duration delay = base_ * (1.0 - 0.5 * random_.UniformReal());
  base_ = std::min(2 * base_, options_.longest);
  return delay;
}

bool IsTransient(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

absl::Status RetryIdempotent(const std::function<absl::Status()>& call,
                             absl::Duration give_up_after, Backoff& backoff, const Clock& clock,
                             const std::function<void(absl::Duration)>& sleep) {
  const absl::Duration deadline = clock.Monotonic() + give_up_after;
  while (true) {
    absl::Status status = call();
    const absl::Duration left = deadline - clock.Monotonic();
    if (!IsTransient(status) || left <= absl::ZeroDuration()) return status;
    sleep(std::min(backoff.Next(), left));
  }
}

}  // namespace burnish::net
