// Time as a dependency. Everything that needs the time takes a Clock, so that tests and the
// simulated farm can move it by hand. Thread-safe.
#pragma once

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace burnish {

class Clock {
 public:
  virtual ~Clock() = default;
  // Wall time. May step; never used to measure durations.
  virtual absl::Time Now() const = 0;
  // Monotonic time since an arbitrary origin, for deadlines and durations.
  virtual absl::Duration Monotonic() const = 0;
};

// The machine's clock; lives for the whole process.
const Clock& SystemClock();

// A clock that moves only when told to.
class SimulatedClock : public Clock {
 public:
  explicit SimulatedClock(absl::Time start) : now_(start) {}
  absl::Time Now() const override;
  absl::Duration Monotonic() const override;
  void Advance(absl::Duration by);

 private:
  mutable absl::Mutex mutex_;
  absl::Time now_ ABSL_GUARDED_BY(mutex_);
  absl::Duration monotonic_ ABSL_GUARDED_BY(mutex_);
};

// Blocks the calling thread. Outside tests' reach on purpose: loops wait on conditions instead.
void SleepThread(absl::Duration duration);

}  // namespace burnish
