// What clients ask for: protobuf -> server domain. Pure functions.
#pragma once

#include "absl/status/statusor.h"
#include "burnish/v1/job_service.pb.h"
#include "server/jobs/submission.h"

namespace burnish::rpc {

namespace pb = burnish::v1;

// Without the hold, which is the caller's to check. InvalidArgument Diagnostics for a request that
// no client should send.
absl::StatusOr<jobs::Submission> SubmissionOf(const pb::SubmitRequest& request);

}  // namespace burnish::rpc
