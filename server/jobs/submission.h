// Turns a submitted job text into a stored job: read, check, construct the space once, match
// devices, make one task per device class.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/spec/job_reader.h"
#include "server/store/store.h"

namespace burnish::jobs {

struct Submission {
  std::string client_request_id;
  std::string hold_id;
  int priority = 0;
  spec::JobText job;
  std::map<std::string, BlobHash> blobs;  // files that `job` does not hold, but the store
};

// The job's text with all of its files. FailedPrecondition for a file whose blob is not there.
absl::StatusOr<spec::JobText> TextOf(store::Store& store, const Namespace& owner,
                                     const Submission& submission);

struct Submitted {
  JobId job;
  bool existed = false;
  std::vector<std::string> warnings;  // for people; none of a job that existed
};

// InvalidArgument Diagnostics for a bad job; ResourceExhausted for a namespace with too many active
// jobs; FailedPrecondition with one line per device and why it does not serve when none does, or
// naming a file whose blob is not there. Nothing is stored on error.
absl::StatusOr<Submitted> Submit(store::Store& store, const Namespace& owner,
                                 const Submission& submission);

}  // namespace burnish::jobs
