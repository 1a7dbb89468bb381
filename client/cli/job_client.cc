#include "client/cli/job_client.h"

#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/net/retry.h"
#include "common/net/status.h"

namespace burnish::cli {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(100);
constexpr absl::Duration kDeviceWait = absl::Seconds(30);

}  // namespace

template <typename Request, typename Reply>
absl::StatusOr<Reply> JobClient::Call(
    grpc::Status (pb::JobService::Stub::*method)(grpc::ClientContext*, const Request&, Reply*),
    const Request& request) {
  Reply reply;
  net::Backoff backoff(net::BackoffOptions(), RandomSeed());
  RETURN_IF_ERROR(net::RetryIdempotent(
      [&] {
        grpc::ClientContext context;
        connection_.Authorise(context);
        reply.Clear();
        return net::ToAbslStatus((connection_.stub().*method)(&context, request, &reply));
      },
      options_.connect_timeout(), backoff, SystemClock(), SleepThread));
  return reply;
}

absl::StatusOr<std::string> JobClient::Submit(const spec::JobText& job, int priority) {
  pb::SubmitRequest request;
  request.set_namespace_(options_.place.owner);
  request.set_client_request_id(RandomHexId());
  request.set_file_name(job.file_name);
  request.set_text(job.text);
  for (const auto& [name, content] : job.files) {
    pb::SourceFile* file = request.add_files();
    file->set_name(name);
    file->set_content(content);
  }
  request.set_hold_id(connection_.hold_id());
  request.set_priority(priority);
  ASSIGN_OR_RETURN(const auto reply, Call(&pb::JobService::Stub::Submit, request));
  return reply.job_id();
}

absl::StatusOr<pb::JobSnapshot> JobClient::Get(const std::string& job_id) {
  pb::GetRequest request;
  request.set_namespace_(options_.place.owner);
  request.set_job_id(job_id);
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
