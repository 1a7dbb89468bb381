// SIGINT, SIGTERM and SIGHUP as events. Construct it in main before any thread starts: it blocks
// the signals for all later threads. SIGPIPE is ignored.
#pragma once

#include <optional>

#include "absl/time/time.h"
#include "common/base/unique_fd.h"

namespace burnish {

class ShutdownSignals {
 public:
  ShutdownSignals();
  // The next signal's number; nothing after `timeout`. One thread at a time.
  std::optional<int> Wait(absl::Duration timeout);
  // Readable when a signal is pending (signalfd), for poll().
  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

}  // namespace burnish
