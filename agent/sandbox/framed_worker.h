// A WorkerChannel to a burnish-worker process: domain orders out, frames over the pipe, domain
// answers back. Threading as WorkerProcess.
#pragma once

#include <string>
#include <vector>

#include "agent/sandbox/worker_channel.h"
#include "agent/sandbox/worker_process.h"

namespace burnish::agent {

class FramedWorker : public WorkerChannel {
 public:
  explicit FramedWorker(WorkerCommand command) : process_(std::move(command)) {}

  absl::StatusOr<std::vector<work::DeviceInfo>> Describe(const std::string& backend,
                                                         const CallLimits& limits) override;
  absl::StatusOr<CompileResult> Compile(const CompileOrder& order,
                                        const CallLimits& limits) override;
  absl::StatusOr<work::Measurement> Measure(const MeasureOrder& order,
                                            const CallLimits& limits) override;
  absl::StatusOr<work::Comparison> Compare(const CompareOrder& order,
                                           const CallLimits& limits) override;
  absl::StatusOr<work::Roofs> MeasureRoofs(const RoofOrder& order,
                                           const CallLimits& limits) override;

 private:
  // Exchange that demands a reply of kind `expected`.
  absl::StatusOr<v1::WorkerReply> Ask(v1::WorkerRequest request, v1::WorkerReply::KindCase expected,
                                      const CallLimits& limits);

  WorkerProcess process_;
};

}  // namespace burnish::agent
