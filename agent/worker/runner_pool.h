// A run worker's zygotes, one for each candidate that is there at the same time: each candidate has
// namespaces and a control group for itself. They are kept for the next candidates.
//
// A zygote serves one candidate after another as long as every one leaves it as it was: one that
// does not answer in time, or cannot clean up, or has no filter of system calls to keep candidates
// from leaving things in the kernel, is replaced. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/sandbox/isolation/cgroup.h"
#include "agent/sandbox/isolation/probe.h"
#include "agent/worker/zygote.h"
#include "common/base/subprocess.h"
#include "common/base/unique_fd.h"

namespace burnish::worker {

// How a runner ended.
struct RunnerEnd {
  ExitStatus status;
  bool by_itself = false;
  bool out_of_memory = false;  // the kernel ended it, or a process of it, for lack of memory
};

class ZygoteProcess {
 public:
  static absl::StatusOr<std::unique_ptr<ZygoteProcess>> Start(const isolation::Found& found,
                                                              int number);
  ~ZygoteProcess();

  // Forks a runner that gets the descriptors.
  absl::Status Launch(std::span<const int> descriptors);
  // Ends the runner, if it does not end by itself within `grace`, and all that it left.
  absl::StatusOr<RunnerEnd> End(absl::Duration grace);

 private:
  ZygoteProcess() = default;
  absl::StatusOr<ZygoteAnswer> Receive(absl::Duration patience);
  int64_t OomKills() const;

  std::optional<isolation::Cgroup> group_;  // outlives its processes
  ChildProcess child_;
  UniqueFd socket_;
  int64_t oom_kills_at_launch_ = 0;
};

class RunnerPool {
 public:
  // `cancel_fd` readable or hung up means that the agent is gone.
  RunnerPool(isolation::Found found, int cancel_fd)
      : found_(std::move(found)), cancel_fd_(cancel_fd) {}

  int cancel_fd() const { return cancel_fd_; }
  absl::StatusOr<std::unique_ptr<ZygoteProcess>> Take();
  // A zygote whose End() was ok.
  void Return(std::unique_ptr<ZygoteProcess> zygote);

 private:
  const isolation::Found found_;
  const int cancel_fd_;
  int started_ = 0;
  std::vector<std::unique_ptr<ZygoteProcess>> idle_;
};

}  // namespace burnish::worker
