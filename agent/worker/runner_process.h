// A run worker's hold on its runner child: starts it, sends it one request at a time, and turns
// every way in which it can end into a candidate's outcome. Destroying it kills the runner with its
// process group. Errors are candidate failures, or Cancelled when the agent is gone. Not
// thread-safe.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/measure/timing.h"
#include "burnish/v1/worker.pb.h"
#include "common/base/subprocess.h"
#include "common/base/unique_fd.h"

namespace burnish::worker {

class RunnerProcess {
 public:
  // `memory_fd` is all the runner gets to see of this process. `cancel_fd` readable or hung up
  // means that the agent is gone.
  static absl::StatusOr<RunnerProcess> Start(int memory_fd, int cancel_fd);

  // The time limit covers everything the runner is asked to do; it starts now.
  absl::Status Load(const burnish::v1::RunnerRequest::Load& load, absl::Duration time_limit);
  // Whatever the kernel does once ahead of executions.
  absl::Status Prepare();
  // Nanoseconds of `launches` executions, as the runner says; rejected if longer than we waited.
  absl::StatusOr<int64_t> Run(int64_t launches, bool flush_caches);

  measure::TimeFrame time() const;

 private:
  RunnerProcess() = default;
  absl::StatusOr<burnish::v1::RunnerReply> Ask(const burnish::v1::RunnerRequest& request);
  absl::Status Ended();

  ChildProcess child_;
  UniqueFd socket_;
  int cancel_fd_ = -1;
  absl::Duration time_limit_;
  absl::Duration deadline_;
  int64_t oom_kills_at_start_ = 0;
};

}  // namespace burnish::worker
