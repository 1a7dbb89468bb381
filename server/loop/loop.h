// A thread that does one kind of round: when it is woken, and every so often in any case.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace burnish::server {

struct LoopOptions {
  std::string name;                                   // for the log
  absl::Duration interval = absl::Milliseconds(500);  // longest time between rounds
  absl::Duration rest = absl::ZeroDuration();         // shortest time between rounds
  // From being woken to the round: what comes together is then done together.
  absl::Duration gather = absl::ZeroDuration();
};

class Loop {
 public:
  // `round` runs on the loop's own thread. A fault is logged, once per change, and the round is
  // tried again after the interval.
  Loop(LoopOptions options, std::function<absl::Status()> round);
  ~Loop();  // waits for a running round
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // A round starts soon that sees everything done before this call. Any thread; never blocks.
  void Wake();
  // No round runs or starts after this. Once or more, from any other thread.
  void Stop();

 private:
  void Run();
  void Report(const absl::Status& status);

  const LoopOptions options_;
  const std::function<absl::Status()> round_;
  absl::Status last_status_;  // the loop's thread only
  absl::Mutex mutex_;
  bool woken_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace burnish::server
