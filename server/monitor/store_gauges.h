// The gauges that the store implies: jobs, work items, agents and devices, as of now.
//
// Used from one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/ids.h"
#include "server/store/store.h"
#include "server/telemetry/server_metrics.h"

namespace burnish::server {

class StoreGauges {
 public:
  // An agent that was silent for `suspect_after` counts as suspect.
  StoreGauges(store::Store& store, const ServerMetrics& metrics, const Clock& clock,
              absl::Duration suspect_after);
  // Reads the store, at most once a second. When it fails the gauges stay as they are; readiness
  // says so elsewhere.
  void Refresh();

 private:
  // What is known of one backend's work.
  struct Load {
    int64_t queued = 0;
    int64_t running = 0;
    absl::Duration longest_wait;
  };

  absl::Status Read();
  void SetFleet(const std::vector<store::DeviceRow>& rows);
  void SetJobs(const std::vector<store::JobWithTasks>& jobs);
  absl::Status SetWorkItems(const std::vector<store::JobWithTasks>& jobs,
                            const std::vector<store::DeviceRow>& rows);
  // How long a task with work queued has had none running.
  absl::Duration WaitOf(const store::Job& job, const store::Task& task);

  store::Store& store_;
  const ServerMetrics metrics_;
  const Clock& clock_;
  const absl::Duration suspect_after_;
  absl::Duration next_read_ = -absl::InfiniteDuration();  // monotonic
  std::map<TaskId, absl::Time> waiting_since_;
};

}  // namespace burnish::server
