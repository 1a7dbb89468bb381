#include "server/rpc/request_wire.h"

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"

namespace burnish::rpc {

absl::StatusOr<jobs::Submission> SubmissionOf(const pb::SubmitRequest& request) {
  if (request.client_request_id().empty() ||
      request.client_request_id().size() > limits::kNameBytes) {
    return InvalidInput("client_request_id: missing or too long",
                        "a unique text, so that a repeated request makes one job");
  }
  jobs::Submission submission;
  submission.client_request_id = request.client_request_id();
  submission.priority = request.priority();
  submission.job.file_name = request.file_name();
  submission.job.text = request.text();
  for (const pb::SourceFile& file : request.files()) {
    if (!submission.job.files.emplace(file.name(), file.content()).second) {
      return InvalidInput(absl::StrCat("files: '", file.name(), "' is there twice"));
    }
  }
  return submission;
}

}  // namespace burnish::rpc
