// Requests a stop when the agent is told to end: by a signal or, if asked for, by the end of its
// standard input, which is how whoever started it takes it along, even when killed.
#pragma once

#include <stop_token>
#include <thread>

#include "common/base/shutdown_signals.h"
#include "common/base/unique_fd.h"

namespace burnish::agent {

class ShutdownWatch {
 public:
  // Watches from a thread of its own until destroyed.
  ShutdownWatch(const ShutdownSignals& signals, bool until_stdin_closes, std::stop_source stop);
  ~ShutdownWatch();

 private:
  void Watch(int signal_fd, bool until_stdin_closes);

  std::stop_source stop_;
  UniqueFd quit_;  // eventfd
  std::thread thread_;
};

}  // namespace burnish::agent
