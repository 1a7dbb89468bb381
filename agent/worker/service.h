// A worker's conversation with its agent: one request, one reply, until the agent hangs up. The
// role says which requests it answers; all others are refused. Single-threaded.
#pragma once

#include "absl/status/status.h"
#include "agent/sandbox/isolation/probe.h"
#include "burnish/v1/worker.pb.h"

namespace burnish::worker {

enum class WorkerRole {
  kBuild,  // describes devices and compiles
  kRun,    // describes devices, measures and compares, and measures roofs
};

// Serves on standard input and output; ok when the agent has hung up. `found` is how candidates are
// to be kept apart.
absl::Status ServeAgent(WorkerRole role, isolation::Found found);

}  // namespace burnish::worker
