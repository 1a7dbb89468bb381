// The zygote: a process that waits within its sandbox, with everything loaded, and forks a runner
// for each candidate. A run worker starts it and keeps it for many candidates, one after the other:
// setting up a sandbox costs tens of milliseconds, forking in it one. It never runs foreign code,
// never holds reference values, and initialises no driver: what a GPU's runtime sets up does not
// survive a fork, so each runner does that for itself.
//
// After each candidate every process but the zygote itself is killed and waited for, and the
// private /tmp is emptied. Single-threaded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace burnish::worker {

inline constexpr int kZygoteSocket = 3;

// What a zygote does to itself and its runners; the arguments of its command line.
struct ZygotePlan {
  bool limits = false;
  bool namespaces = false;
  bool seccomp = false;
  int64_t memory_bytes = 0;         // that a candidate may take beside its buffers
  std::vector<std::string> groups;  // control groups to join, by folder

  std::vector<std::string> ToArguments() const;
  static absl::StatusOr<ZygotePlan> Parse(const std::vector<std::string>& arguments);
};

// One message each on the socket, in turn: the zygote says that it is ready (or, in `text`, why it
// is not); then, again and again, it gets kLaunch with the runner's descriptors (kRunnerSocket and
// those after it) and answers, it gets kEnd and answers once nothing is left of the candidate.
struct ZygoteOrder {
  enum Kind : int32_t { kLaunch, kEnd } kind = kLaunch;
  int32_t grace_ms = 0;  // kEnd: how long the runner may take to end by itself
};
struct ZygoteAnswer {
  int32_t ok = 0;
  int32_t ended_by_itself = 0;  // to kEnd: the runner, with `wait_status`
  int32_t wait_status = 0;
  char text[500] = {};
};

// Serves until the socket is closed; the process's exit code. The caller must have one thread.
int ServeZygote(const ZygotePlan& plan);

}  // namespace burnish::worker
