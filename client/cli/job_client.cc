#include "client/cli/job_client.h"

#include "client/cli/blob_upload.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/hash.h"
#include "common/base/limits.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/net/retry.h"
#include "common/net/status.h"

namespace burnish::cli {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(100);
constexpr absl::Duration kDeviceWait = absl::Seconds(30);
constexpr int kTriesWithUploads = 3;

}  // namespace

template <typename Stub, typename Request, typename Reply>
absl::StatusOr<Reply> JobClient::Call(Stub& stub,
                                      grpc::Status (Stub::*method)(grpc::ClientContext*,
                                                                   const Request&, Reply*),
                                      const Request& request) {
  Reply reply;
  net::Backoff backoff(net::BackoffOptions(), RandomSeed());
  RETURN_IF_ERROR(net::RetryIdempotent(
      [&] {
        grpc::ClientContext context;
        connection_.Authorise(context);
        reply.Clear();
        return net::ToAbslStatus((stub.*method)(&context, request, &reply));
      },
      options_.connect_timeout(), backoff, SystemClock(), SleepThread));
  return reply;
}

pb::Blob JobClient::BlobOf(const std::string& content, Contents& big) {
  pb::Blob blob;
  if (content.size() < limits::kInlineBlobBytes) {
    blob.set_inline_(content);
  } else {
    blob.set_sha256(Sha256Hex(content));
    big.emplace(blob.sha256(), content);
  }
  return blob;
}

void JobClient::AddFiles(const spec::JobText& job,
                         google::protobuf::RepeatedPtrField<pb::SourceFile>& files, Contents& big) {
  for (const auto& [name, content] : job.files) {
    pb::SourceFile& file = *files.Add();
    file.set_name(name);
    *file.mutable_content() = BlobOf(content, big);
  }
}

template <typename Reply>
absl::StatusOr<Reply> JobClient::WithUploads(const Contents& big,
                                             const std::function<absl::StatusOr<Reply>()>& call) {
  RETURN_IF_ERROR(UploadMissing(big).status());
  for (int tries = 1;; ++tries) {
    absl::StatusOr<Reply> reply = call();
    if (reply.ok() || !absl::IsFailedPrecondition(reply.status()) || tries == kTriesWithUploads) {
      return reply;
    }
    // Or was it that the server had removed a content in the meantime, which no job named yet?
    ASSIGN_OR_RETURN(const bool lacked, UploadMissing(big));
    if (!lacked) return reply;
  }
}

absl::StatusOr<pb::SubmitReply> JobClient::Submit(const spec::JobText& job, int priority) {
  pb::SubmitRequest request;
  request.set_namespace_(options_.place.owner);
  request.set_client_request_id(RandomHexId());
  request.set_file_name(job.file_name);
  request.set_text(job.text);
  Contents big;
  AddFiles(job, *request.mutable_files(), big);
  request.set_hold_id(connection_.hold_id());
  request.set_priority(priority);
  return WithUploads<pb::SubmitReply>(big,
                                      [&] { return Call(&pb::JobService::Stub::Submit, request); });
}

absl::StatusOr<pb::ImportReply> JobClient::Import(const spec::JobText& job,
                                                  const std::string& file_name,
                                                  const std::string& device_class,
                                                  const std::string& content) {
  pb::ImportRequest request;
  request.set_namespace_(options_.place.owner);
  request.set_job_file_name(job.file_name);
  request.set_job_text(job.text);
  Contents big;
  AddFiles(job, *request.mutable_job_files(), big);
  request.set_file_name(file_name);
  request.set_device_class(device_class);
  *request.mutable_records() = BlobOf(content, big);
  return WithUploads<pb::ImportReply>(big, [&] {
    return Call(connection_.import_stub(), &pb::ImportService::Stub::Import, request);
  });
}

absl::StatusOr<pb::ListImportsReply> JobClient::Imports() {
  pb::ListImportsRequest request;
  request.set_namespace_(options_.place.owner);
  return Call(connection_.import_stub(), &pb::ImportService::Stub::List, request);
}

absl::Status JobClient::RemoveImport(const std::string& import_id) {
  pb::RemoveImportRequest request;
  request.set_namespace_(options_.place.owner);
  request.set_import_id(import_id);
  return Call(connection_.import_stub(), &pb::ImportService::Stub::Remove, request).status();
}

absl::StatusOr<bool> JobClient::UploadMissing(const Contents& contents) {
  using Stub = pb::BlobService::Stub;
  const BlobCalls calls{.stat =
                            [this](const pb::StatRequest& request) {
                              return Call(connection_.blob_stub(), &Stub::Stat, request);
                            },
                        .upload =
                            [this](const pb::UploadRequest& request) {
                              return Call(connection_.blob_stub(), &Stub::Upload, request);
                            }};
  bool lacked = false;
  for (const auto& [sha256, content] : contents) {
    ASSIGN_OR_RETURN(const bool sent, UploadBlob(calls, options_.place.owner, sha256, content));
    lacked = lacked || sent;
  }
  return lacked;
}

absl::StatusOr<pb::JobSnapshot> JobClient::Get(const std::string& job_id,
                                               const std::string& where) {
  pb::GetRequest request;
  request.set_namespace_(options_.place.owner);
  request.set_job_id(job_id);
  request.set_where(where);
  return Call(&pb::JobService::Stub::Get, request);
}

absl::StatusOr<pb::ListReply> JobClient::List(int limit) {
  pb::ListRequest request;
  request.set_namespace_(options_.place.owner);
  request.set_limit(limit);
  return Call(&pb::JobService::Stub::List, request);
}

pb::JobRequest JobClient::RequestFor(const std::string& job_id) const {
  pb::JobRequest request;
  request.set_namespace_(options_.place.owner);
  request.set_job_id(job_id);
  return request;
}

absl::StatusOr<pb::SourceReply> JobClient::Source(const std::string& job_id) {
  return Call(&pb::JobService::Stub::Source, RequestFor(job_id));
}

absl::StatusOr<pb::JobSnapshot> JobClient::Cancel(const std::string& job_id) {
  return Call(&pb::JobService::Stub::Cancel, RequestFor(job_id));
}

absl::StatusOr<pb::JobSnapshot> JobClient::Pause(const std::string& job_id) {
  return Call(&pb::JobService::Stub::Pause, RequestFor(job_id));
}

absl::StatusOr<pb::JobSnapshot> JobClient::Finish(const std::string& job_id) {
  return Call(&pb::JobService::Stub::Finish, RequestFor(job_id));
}

absl::StatusOr<pb::JobSnapshot> JobClient::Resume(const std::string& job_id) {
  pb::ResumeRequest request;
  request.set_namespace_(options_.place.owner);
  request.set_job_id(job_id);
  request.set_hold_id(connection_.hold_id());
  return Call(&pb::JobService::Stub::Resume, request);
}

absl::StatusOr<pb::DevicesReply> JobClient::Devices() {
  pb::DevicesRequest request;
  request.set_namespace_(options_.place.owner);
  return Call(&pb::JobService::Stub::Devices, request);
}

absl::Status JobClient::Records(const std::string& job_id, const std::string& kind,
                                const std::function<void(const pb::Record&)>& each) {
  pb::RecordsRequest request;
  request.set_namespace_(options_.place.owner);
  request.set_job_id(job_id);
  request.set_kind(kind);
  grpc::ClientContext context;
  connection_.Authorise(context);
  const auto reader = connection_.stub().Records(&context, request);
  pb::Record record;
  while (reader->Read(&record)) each(record);
  return net::ToAbslStatus(reader->Finish());
}

absl::Status JobClient::WaitForDevices() {
  const Clock& clock = SystemClock();
  const absl::Duration give_up = clock.Monotonic() + kDeviceWait;
  while (clock.Monotonic() < give_up) {
    ASSIGN_OR_RETURN(const pb::DevicesReply reply, Devices());
    for (const pb::Device& device : reply.devices()) {
      if (device.state() != "lost") return absl::OkStatus();
    }
    SleepThread(kPollInterval);
  }
  return DiagnosticStatus(
      absl::StatusCode::kUnavailable,
      {.message = "the private server's agent did not attach within 30 s",
       .hint = "`burnish doctor` tells what this machine can do; the log is agent.log in the data "
               "folder"});
}

}  // namespace burnish::cli
