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
  // The contents by their SHA-256; whether the server lacked any.
  absl::StatusOr<bool> UploadMissing(const std::map<std::string, std::string_view>& contents);
  pb::JobRequest RequestFor(const std::string& job_id) const;

  Connection& connection_;
  const GlobalOptions& options_;
};

}  // namespace burnish::cli
