// What clients ask for: protobuf -> server domain. Pure functions.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "burnish/v1/import_service.pb.h"
#include "burnish/v1/job_service.pb.h"
#include "server/jobs/import.h"
#include "server/jobs/submission.h"

namespace burnish::rpc {

namespace pb = burnish::v1;

// Without the hold, which is the caller's to check. InvalidArgument Diagnostics for a request that
// no client should send.
absl::StatusOr<jobs::Submission> SubmissionOf(const pb::SubmitRequest& request);
// Without the records, which may be a blob.
absl::StatusOr<jobs::ImportRequest> ImportOf(const pb::ImportRequest& request);
// Of that blob's content.
absl::StatusOr<jobs::RecordTable> RecordTableOf(const std::string& content);

}  // namespace burnish::rpc
