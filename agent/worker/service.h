// A worker's conversation with its agent: one request, one reply, until the agent hangs up. The
// role says which requests it answers; all others are refused. Single-threaded.
#pragma once

#include "absl/status/status.h"
#include "burnish/v1/worker.pb.h"

namespace burnish::worker {

enum class WorkerRole {
  kBuild,  // describes devices and compiles
  kRun,    // describes devices, measures and compares, and measures roofs
};

// Serves on standard input and output; ok when the agent has hung up.
absl::Status ServeAgent(WorkerRole role);

// The reply to one request. `cancel_fd` readable or hung up: the agent is gone.
burnish::v1::WorkerReply Answer(WorkerRole role, const burnish::v1::WorkerRequest& request,
                                int cancel_fd);

}  // namespace burnish::worker
