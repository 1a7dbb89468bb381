// Notices that the database stopped answering one of its users: each looks at it twice a second,
// and tells here how that went. A call that hangs is noticed as well as one that fails, unless the
// user may be busy with something else for long. There is a watch each for dispatch, for jobs and
// for what agents send: a full disk lets itself be read. Thread-safe.
#pragma once

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "server/monitor/readiness.h"

namespace burnish::server {

enum class Rounds { kShort, kMayBeLong };

class DatabaseWatch {
 public:
  // `condition` names it in the readiness.
  DatabaseWatch(Readiness& readiness, const Clock& clock, std::string condition,
                Rounds rounds = Rounds::kShort);
  // A round that used the database ended like this.
  void RoundEnded(const absl::Status& status);
  // To be called every second or so: without a good round for five, the server is not ready.
  void Check();

 private:
  Readiness& readiness_;
  const Clock& clock_;
  const std::string condition_;
  const Rounds rounds_;
  absl::Mutex mutex_;
  absl::Duration last_good_ ABSL_GUARDED_BY(mutex_);  // monotonic
  absl::Status last_round_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace burnish::server
