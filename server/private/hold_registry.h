// Who keeps a private server alive: each client holds one stream for as long as it lives, and the
// server ends with the last of them. Thread-safe.
#pragma once

#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/base/clock.h"

namespace burnish::server {

struct HoldOptions {
  absl::Duration linger = absl::Seconds(1);       // after the last hold ended
  absl::Duration first_hold = absl::Seconds(10);  // for the first client to come
};

class HoldRegistry {
 public:
  HoldRegistry(const Clock& clock, HoldOptions options);

  // False once the server is ending: the client starts another one.
  bool Begin(const std::string& hold_id);
  // True if that was the last stream of this hold.
  bool End(const std::string& hold_id);
  bool IsHeld(const std::string& hold_id);

  // Whether nobody has held the server for long enough. Once true it stays true, and Begin refuses.
  bool TryEndServer();

 private:
  const Clock& clock_;
  const HoldOptions options_;
  absl::Mutex mutex_;
  std::map<std::string, int> streams_ ABSL_GUARDED_BY(mutex_);
  absl::Duration ends_at_ ABSL_GUARDED_BY(mutex_);  // monotonic; while nobody holds
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace burnish::server
