// What people may do to a job that exists: cancel, pause, finish, resume; and the pauses of a
// private server, whose jobs live with their clients. Each succeeds again on a job that is where it
// leads to; on one that has ended otherwise it is a FailedPrecondition that names its state.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "server/store/store.h"

namespace burnish::jobs {

// At once: what runs is dropped, what was measured stays.
absl::Status Cancel(store::Store& store, const Namespace& owner, JobId id);

// Trials that run may end, nothing new is granted until the job is resumed.
absl::Status Pause(store::Store& store, const Namespace& owner, JobId id);

// No new trials: those that run may end, then the finalists are compared. FailedPrecondition if
// the job is paused or has ended.
absl::Status Finish(store::Store& store, const Namespace& owner, JobId id);

// A paused job goes on and lives with `hold_id` from now on (empty: with no client).
// FailedPrecondition for a job that goes on with another client.
absl::Status Resume(store::Store& store, const Namespace& owner, JobId id,
                    const std::string& hold_id);

// The client that holds these jobs is gone.
absl::Status PauseJobsOfHold(store::Store& store, const std::string& hold_id,
                             const std::string& reason);
// A private server starts: none of the jobs that it finds has a client.
absl::Status PauseAllActive(store::Store& store, const std::string& reason);

}  // namespace burnish::jobs
