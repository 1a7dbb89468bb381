// The server's job calls as this client uses them: status in absl's idiom, retried while the
// server cannot be reached and the call is safe to repeat.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/connection.h"
#include "common/spec/job_reader.h"

namespace burnish::cli {

class JobClient {
 public:
  JobClient(Connection& connection, const GlobalOptions& options)
      : connection_(connection), options_(options) {}

  // Retried with the same request id, so the job is made once. Big files go ahead of it.
  absl::StatusOr<pb::SubmitReply> Submit(const spec::JobText& job, int priority);
  absl::StatusOr<pb::JobSnapshot> Get(const std::string& job_id, const std::string& where = "");
  absl::StatusOr<pb::ListReply> List(int limit);
  absl::StatusOr<pb::SourceReply> Source(const std::string& job_id);
  absl::StatusOr<pb::JobSnapshot> Cancel(const std::string& job_id);
  absl::StatusOr<pb::JobSnapshot> Pause(const std::string& job_id);
  absl::StatusOr<pb::JobSnapshot> Finish(const std::string& job_id);
  absl::StatusOr<pb::JobSnapshot> Resume(const std::string& job_id);
  absl::StatusOr<pb::DevicesReply> Devices();
  // The records as `content` has them (a pb::RecordTable); what is big goes ahead of them. Safe to
  // repeat.
  absl::StatusOr<pb::ImportReply> Import(const spec::JobText& job, const std::string& file_name,
                                         const std::string& device_class,
                                         const std::string& content);
  absl::StatusOr<pb::ListImportsReply> Imports();
  absl::Status RemoveImport(const std::string& import_id);
  // Calls `each` for every record, oldest first.
  absl::Status Records(const std::string& job_id, const std::string& kind,
                       const std::function<void(const pb::Record&)>& each);
  // A private server's agent needs a moment to attach: waits until a device is there.
  absl::Status WaitForDevices();

 private:
  template <typename Stub, typename Request, typename Reply>
  absl::StatusOr<Reply> Call(Stub& stub,
                             grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                          Reply*),
                             const Request& request);
  template <typename Request, typename Reply>
  absl::StatusOr<Reply> Call(grpc::Status (pb::JobService::Stub::*method)(grpc::ClientContext*,
                                                                          const Request&, Reply*),
                             const Request& request) {
    return Call(connection_.stub(), method, request);
  }
  // Big contents, by their SHA-256.
  using Contents = std::map<std::string, std::string_view>;
  // `content` inline, or its hash, and then it is one of `big`.
  static pb::Blob BlobOf(const std::string& content, Contents& big);
  static void AddFiles(const spec::JobText& job,
                       google::protobuf::RepeatedPtrField<pb::SourceFile>& files, Contents& big);
  // Whether the server lacked any.
  absl::StatusOr<bool> UploadMissing(const Contents& contents);
  // `call` with `big` on the server: it, too, may be repeated.
  template <typename Reply>
  absl::StatusOr<Reply> WithUploads(const Contents& big,
                                    const std::function<absl::StatusOr<Reply>()>& call);
  pb::JobRequest RequestFor(const std::string& job_id) const;

  Connection& connection_;
  const GlobalOptions& options_;
};

}  // namespace burnish::cli
