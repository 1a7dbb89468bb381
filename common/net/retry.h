// Trying again, later and later, with jitter so that many clients of a restarted server do not
// come at the same instant.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/random.h"

namespace burnish::net {

struct BackoffOptions {
  absl::Duration first = absl::Milliseconds(100);
  absl::Duration longest = absl::Seconds(2);
};

// Delays between tries: each twice the last one up to the longest, less up to half by chance. Not
// thread-safe.
class Backoff {
 public:
  Backoff(const BackoffOptions& options, uint64_t seed);
  absl::Duration Next();
  // After a success.
  void Reset() { base_ = options_.first; }

 private:
  const BackoffOptions options_;
  absl::Duration base_;
  RandomStream random_;
};

// The server could not be reached, or was just ending: the same call may succeed soon.
bool IsTransient(const absl::Status& status);

// Repeats an idempotent call while it fails transiently; its last status once `give_up_after` has
// passed. `sleep` is SleepThread but in tests.
absl::Status RetryIdempotent(const std::function<absl::Status()>& call,
                             absl::Duration give_up_after, Backoff& backoff, const Clock& clock,
                             const std::function<void(absl::Duration)>& sleep);

}  // namespace burnish::net
