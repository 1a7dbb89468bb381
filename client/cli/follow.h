// Follows a job to its end with progress, Ctrl-C and a lost server: what `tune` and `watch` do
// after the job is stored.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/cli/connection.h"
#include "client/cli/job_client.h"
#include "client/cli/options.h"
#include "common/base/shutdown_signals.h"

namespace burnish::cli {

struct FollowOptions {
  std::string job_id;
  // On a private server the job lives with this client: the first Ctrl-C finishes it, and after a
  // lost server it is resumed. Otherwise Ctrl-C only detaches.
  bool owns_job = false;
  bool ends_when_paused = false;
  std::optional<absl::Duration> timeout;
  // Called for the snapshots that come, the last one included; some in between are skipped.
  std::function<void(const pb::JobSnapshot&)> on_snapshot;
};

struct Followed {
  pb::JobSnapshot snapshot;
  int exit_code = kExitDone;
};

// An error only if nothing is known of the job (it does not exist, the server is gone for good).
absl::StatusOr<Followed> FollowJob(Connection& connection, JobClient& client,
                                   ShutdownSignals& signals, const GlobalOptions& options,
                                   const FollowOptions& follow);

// The document or the table, on standard output.
void PrintJob(const pb::JobSnapshot& snapshot, const GlobalOptions& options);

}  // namespace burnish::cli
