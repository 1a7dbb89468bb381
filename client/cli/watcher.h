// Follows one job: a thread reads the server's stream of snapshots, the caller looks at the
// latest one whenever it likes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "client/cli/connection.h"

namespace burnish::cli {

class Watcher {
 public:
  Watcher(Connection& connection, const std::string& owner, const std::string& job_id);
  ~Watcher();

  // The newest snapshot not yet taken.
  std::optional<pb::JobSnapshot> TakeLatest();
  // Set once the stream has ended: OK after a final state.
  std::optional<absl::Status> Ended();

 private:
  void Read();

  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<pb::JobSnapshot>> reader_;
  absl::Mutex mutex_;
  std::optional<pb::JobSnapshot> latest_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> ended_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

bool IsFinalState(pb::State state);
std::string StateText(pb::State state);

}  // namespace burnish::cli
