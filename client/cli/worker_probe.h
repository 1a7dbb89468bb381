// Asks this machine's burnish-worker directly, without server or agent, for `burnish doctor`.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "burnish/v1/worker.pb.h"
#include "common/base/subprocess.h"
#include "common/base/unique_fd.h"

namespace burnish::cli {

namespace pb = burnish::v1;

// One worker process in one role; a request at a time.
class WorkerProbe {
 public:
  static absl::StatusOr<WorkerProbe> Start(const std::string& role,
                                           const std::vector<std::string>& flags = {});
  absl::StatusOr<pb::WorkerReply> Ask(pb::WorkerRequest request, absl::Duration timeout);

 private:
  ChildProcess child_;
  UniqueFd to_worker_;
  UniqueFd from_worker_;
  uint64_t next_id_ = 1;
};

// `flags` are more of the worker's.
absl::StatusOr<std::vector<pb::DeviceInfo>> DescribeDevices(
    const std::string& backend, const std::vector<std::string>& flags = {});

// Compiles, checks and times the control kernel of the device's backend.
absl::StatusOr<pb::Measurement> RunCanary(const pb::DeviceInfo& device);

}  // namespace burnish::cli
