#include "server/rpc/request_wire.h"

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/hash.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/wire/configuration.h"

namespace burnish::rpc {
namespace {

absl::Status AddFile(const pb::SourceFile& file, jobs::Submission& submission) {
  switch (file.content().content_case()) {
    case pb::Blob::kInline:
      if (file.content().inline_().size() >= limits::kInlineBlobBytes) {
        return InvalidInput(
            absl::StrCat("files: '", file.name(), "' has ", file.content().inline_().size(),
                         " bytes; what is sent with the job has to be below ",
                         limits::kInlineBlobBytes),
            "upload it as a blob first (BlobService), and send its SHA-256 in its place");
      }
      submission.job.files.emplace(file.name(), file.content().inline_());
      return absl::OkStatus();
    case pb::Blob::kSha256:
      if (!IsSha256Hex(file.content().sha256())) {
        return InvalidInput(absl::StrCat("files: the sha256 of '", file.name(), "' is none"),
                            "64 hexadecimal digits, small letters");
      }
      submission.blobs.emplace(file.name(), file.content().sha256());
      return absl::OkStatus();
    case pb::Blob::CONTENT_NOT_SET:
      break;
  }
  return InvalidInput(absl::StrCat("files: '", file.name(), "' has no content"));
}

absl::Status AddFiles(const google::protobuf::RepeatedPtrField<pb::SourceFile>& files,
                      jobs::Submission& submission) {
  for (const pb::SourceFile& file : files) {
    if (submission.job.files.contains(file.name()) || submission.blobs.contains(file.name())) {
      return InvalidInput(absl::StrCat("files: '", file.name(), "' is there twice"));
    }
    RETURN_IF_ERROR(AddFile(file, submission));
  }
  return absl::OkStatus();
}

}  // namespace

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
  RETURN_IF_ERROR(AddFiles(request.files(), submission));
  return submission;
}

absl::StatusOr<jobs::ImportRequest> ImportOf(const pb::ImportRequest& request) {
  jobs::ImportRequest import;
  import.job.job.file_name = request.job_file_name();
  import.job.job.text = request.job_text();
  RETURN_IF_ERROR(AddFiles(request.job_files(), import.job));
  import.file_name = request.file_name();
  import.device_class = request.device_class();
  return import;
}

absl::StatusOr<jobs::RecordTable> RecordTableOf(const std::string& content) {
  pb::RecordTable proto;
  if (!proto.ParseFromString(content)) return InvalidInput("records: not a table of records");
  jobs::RecordTable table;
  for (const pb::RecordParameter& parameter : proto.parameters()) {
    space::Parameter& added = table.parameters.emplace_back();
    added.name = parameter.name();
    for (const pb::Value& value : parameter.values()) {
      ASSIGN_OR_RETURN(added.values.emplace_back(), wire::FromProto(value));
    }
  }
  table.value_indices.assign(proto.value_indices().begin(), proto.value_indices().end());
  table.latency_seconds.assign(proto.latency_seconds().begin(), proto.latency_seconds().end());
  return table;
}

}  // namespace burnish::rpc
