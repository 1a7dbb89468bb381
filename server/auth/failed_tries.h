// How often each peer showed a token that is none. Thread-safe; bounded in memory.
#pragma once

#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/base/clock.h"

namespace burnish::auth {

class FailedTries {
 public:
  explicit FailedTries(const Clock& clock) : clock_(clock) {}

  // False if the peer had failed as often as it may in a minute already.
  bool Add(const std::string& peer);
  // Whether one more unknown token of the peer may be looked up now. After too many wrong ones only
  // now and then, so that a neighbour behind the same address still gets in with a right one.
  bool MayLookUp(const std::string& peer);

 private:
  struct Tries {
    absl::Duration since;  // monotonic
    int count = 0;
    absl::Duration last_look = -absl::InfiniteDuration();
  };
  // Null if there is none within the last minute.
  Tries* Find(const std::string& peer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void MakeRoom() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Clock& clock_;
  absl::Mutex mutex_;
  std::map<std::string, Tries> peers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace burnish::auth
