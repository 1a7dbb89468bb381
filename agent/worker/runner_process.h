// A run worker's hold on a runner: has one forked, sends it one request at a time, and turns every
// way in which it can end into a candidate's outcome. Destroying it ends the runner with all that
// the candidate started. Errors are candidate failures, or Cancelled when the agent is gone. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/measure/timing.h"
#include "agent/worker/runner_pool.h"
#include "burnish/v1/worker.pb.h"
#include "common/base/unique_fd.h"

namespace burnish::worker {

class RunnerProcess {
 public:
  // The descriptors, of shared buffers and of compiled code, are all the runner gets to see of this
  // process. `pool` must outlive it.
  static absl::StatusOr<RunnerProcess> Start(RunnerPool& pool, int memory_fd, int artefact_fd);
  RunnerProcess(RunnerProcess&& other) noexcept = default;
  RunnerProcess& operator=(RunnerProcess&& other) = delete;
  ~RunnerProcess();

  // The time limit covers everything the runner is asked to do, and nothing that happens meanwhile:
  // making inputs, comparing outputs, others' turns.
  absl::Status Load(burnish::v1::RunnerRequest::Load load, absl::Duration time_limit);
  // Whatever the kernel does once ahead of executions.
  absl::Status Prepare();
  // Nanoseconds of `launches` executions, back to back or each in the state asked for, as the
  // runner says; rejected if that is more than we waited, or far less.
  absl::StatusOr<int64_t> Run(int64_t launches, bool flush_caches, bool restore_inouts = false);

  // If it worked from now on.
  measure::TimeFrame time() const;

 private:
  explicit RunnerProcess(RunnerPool& pool) : pool_(&pool) {}
  absl::StatusOr<burnish::v1::RunnerReply> Ask(burnish::v1::RunnerRequest request);
  // Of a runner that has closed its socket.
  absl::Status Ended();
  // Ends it and makes the zygote ready for others, or ends that too.
  absl::StatusOr<RunnerEnd> End(absl::Duration grace);

  RunnerPool* pool_;
  std::unique_ptr<ZygoteProcess> zygote_;  // null: it has ended
  UniqueFd socket_;
  absl::Duration time_limit_;
  absl::Duration left_;
};

}  // namespace burnish::worker
