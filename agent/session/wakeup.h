// Wakes the session's loop, which waits for one thing only: that something may have happened.
// Thread-safe; a notification is kept until the next wait takes it.
#pragma once

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace burnish::agent {

class Wakeup {
 public:
  void Notify() {
    absl::MutexLock lock(&mutex_);
    notified_ = true;
  }
  // Returns at a notification or after `timeout`.
  void WaitFor(absl::Duration timeout) {
    absl::MutexLock lock(&mutex_);
    mutex_.AwaitWithTimeout(absl::Condition(&notified_), timeout);
    notified_ = false;
  }

 private:
  absl::Mutex mutex_;
  bool notified_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace burnish::agent
