#include "server/rpc/job_service.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "common/base/utf8_text.h"
#include "common/wire/configuration.h"
#include "server/jobs/candidate_source.h"
#include "server/jobs/control.h"
#include "server/jobs/forecast.h"
#include "server/jobs/snapshot.h"
#include "server/jobs/submission.h"
#include "server/rpc/namespace_of.h"
#include "server/rpc/record_stream.h"
#include "server/rpc/request_wire.h"
#include "server/rpc/snapshot_wire.h"

namespace burnish::rpc {
namespace {

constexpr int kDefaultListedJobs = 50;
constexpr char kClientEnded[] = "its client ended";

struct JobName {
  Namespace owner;
  JobId id;
};

// Of any request that names a job.
template <typename Request>
absl::StatusOr<JobName> JobOf(const Request& request) {
  ASSIGN_OR_RETURN(Namespace owner, NamespaceOf(request.namespace_()));
  const std::optional<JobId> id = ParseJobId(request.job_id());
  if (!id.has_value()) {
    return InvalidInput(absl::StrCat("'", request.job_id(), "' is no job id"),
                        "job ids look like j42; `burnish list` shows them");
  }
  return JobName{std::move(owner), *id};
}

absl::StatusOr<std::optional<expr::Expression>> LimitOf(const std::string& where) {
  if (where.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(expr::Expression limit, expr::Expression::Parse(where));
  return limit;
}

class HoldStream final
    : public QueuedStream<grpc::ServerWriteReactor<pb::HoldReply>, pb::HoldReply> {
 public:
  explicit HoldStream(std::function<void()> ended) : ended_(std::move(ended)) {}

 private:
  void OnEnded(bool cancelled) override { ended_(); }
  const std::function<void()> ended_;
};

}  // namespace

JobService::JobService(store::Store& store, Admission& admission, WatchHub& hub,
                       PrivateClients clients, std::function<void()> changed)
    : store_(store),
      admission_(admission),
      hub_(hub),
      clients_(std::move(clients)),
      changed_(std::move(changed)) {}

grpc::ServerUnaryReactor* JobService::Submit(grpc::CallbackServerContext* context,
                                             const pb::SubmitRequest* request,
                                             pb::SubmitReply* reply) {
  return Admit(admission_, context, "/burnish.v1.JobService/Submit", *request,
               [&](const auth::Principal& principal) {
                 grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
                 submissions_.Add(reactor, [this, request, reply, actor = principal.Actor()] {
                   return SubmitJob(*request, actor, *reply);
                 });
                 return reactor;
               });
}

absl::Status JobService::SubmitJob(const pb::SubmitRequest& request, const std::string& actor,
                                   pb::SubmitReply& reply) {
  ASSIGN_OR_RETURN(const Namespace owner, NamespaceOf(request.namespace_()));
  ASSIGN_OR_RETURN(jobs::Submission submission, SubmissionOf(request));
  ASSIGN_OR_RETURN(submission.hold_id, CheckHold(request.hold_id()));
  ASSIGN_OR_RETURN(const auto submitted, jobs::Submit(store_, owner, submission));
  const JobId id = submitted.job;
  RETURN_IF_ERROR(PauseUnlessHeld(submission.hold_id));
  Log(LogLevel::kInfo, "job_submitted",
      {{"job_id", ToText(id)}, {"existed", submitted.existed ? "1" : "0"}, {"actor", actor}});
  changed_();
  reply.set_job_id(ToText(id));
  reply.set_existed(submitted.existed);
  for (const std::string& warning : submitted.warnings) reply.add_warnings(Utf8Text(warning));
  ASSIGN_OR_RETURN(const jobs::Forecast forecast, jobs::ForecastJob(store_, owner, id));
  reply.mutable_forecast()->set_trials(forecast.trials);
  reply.mutable_forecast()->set_seconds(forecast.seconds.value_or(0));
  reply.mutable_forecast()->set_device_seconds(forecast.device_seconds.value_or(0));
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* JobService::Get(grpc::CallbackServerContext* context,
                                          const pb::GetRequest* request, pb::JobSnapshot* reply) {
  return AdmitUnary(admission_, context, "/burnish.v1.JobService/Get", *request,
                    [&]() -> absl::Status {
                      ASSIGN_OR_RETURN(const JobName job, JobOf(*request));
                      ASSIGN_OR_RETURN(const auto where, LimitOf(request->where()));
                      return Snapshot(job.owner, job.id, *reply, where);
                    });
}

absl::Status JobService::Snapshot(const Namespace& owner, JobId id, pb::JobSnapshot& reply,
                                  const std::optional<expr::Expression>& where) {
  ASSIGN_OR_RETURN(jobs::JobSnapshot snapshot, jobs::TakeSnapshot(store_, owner, id, where));
  ASSIGN_OR_RETURN(store::JobSource source, store_.GetJobSource(owner, id));
  snapshot.text = std::move(source.text);
  reply = ToProto(snapshot, store_.Now());
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* JobService::Source(grpc::CallbackServerContext* context,
                                             const pb::JobRequest* request,
                                             pb::SourceReply* reply) {
  return AdmitUnary(
      admission_, context, "/burnish.v1.JobService/Source", *request, [&]() -> absl::Status {
        ASSIGN_OR_RETURN(const JobName name, JobOf(*request));
        ASSIGN_OR_RETURN(const store::JobWithTasks job, store_.GetJob(name.owner, name.id));
        for (const store::Task& task : job.tasks) {
          ASSIGN_OR_RETURN(const jobs::CandidateSource source,
                           jobs::SourceOfTask(store_, name.owner, task));
          pb::TaskSource& of_task = *reply->add_tasks();
          of_task.set_task_id(ToText(task.id));
          *of_task.mutable_configuration() = wire::ToProto(source.configuration);
          of_task.set_language(source.language);
          of_task.set_file(source.file);
          of_task.set_text(source.text);
        }
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* JobService::List(grpc::CallbackServerContext* context,
                                           const pb::ListRequest* request, pb::ListReply* reply) {
  return AdmitUnary(
      admission_, context, "/burnish.v1.JobService/List", *request, [&]() -> absl::Status {
        ASSIGN_OR_RETURN(const Namespace owner, NamespaceOf(request->namespace_()));
        const int limit = request->limit() <= 0 ? kDefaultListedJobs
                                                : std::min(request->limit(), limits::kListedJobs);
        ASSIGN_OR_RETURN(const auto listed, store_.ListJobs(owner, limit));
        for (const store::JobWithTasks& entry : listed) {
          ASSIGN_OR_RETURN(const jobs::JobSnapshot snapshot,
                           jobs::TakeSnapshot(store_, owner, entry.job.id));
          *reply->add_jobs() = ToProto(snapshot, store_.Now());
        }
        return absl::OkStatus();
      });
}

grpc::ServerWriteReactor<pb::JobSnapshot>* JobService::Watch(grpc::CallbackServerContext* context,
                                                             const pb::WatchRequest* request) {
  using Reactor = grpc::ServerWriteReactor<pb::JobSnapshot>;
  using Stream = absl::StatusOr<std::shared_ptr<WatchStream>>;
  return AdmitStream<Reactor>(admission_, context, "/burnish.v1.JobService/Watch", *request,
                              [&]() -> Stream {
                                ASSIGN_OR_RETURN(const JobName job, JobOf(*request));
                                const auto stream = std::make_shared<WatchStream>();
                                stream->KeepAlive(stream);
                                hub_.Watch(job.owner, job.id, stream);
                                return stream;
                              });
}

grpc::ServerWriteReactor<pb::Record>* JobService::Records(grpc::CallbackServerContext* context,
                                                          const pb::RecordsRequest* request) {
  using Reactor = grpc::ServerWriteReactor<pb::Record>;
  using Stream = absl::StatusOr<std::shared_ptr<RecordStream>>;
  return AdmitStream<Reactor>(
      admission_, context, "/burnish.v1.JobService/Records", *request, [&]() -> Stream {
        ASSIGN_OR_RETURN(const JobName job, JobOf(*request));
        const std::string kind = request->kind().empty() ? "measure" : request->kind();
        if (kind != "measure" && kind != "compare") {
          return InvalidInput(absl::StrCat("kind: '", kind, "'"), "measure or compare");
        }
        ASSIGN_OR_RETURN(const store::JobWithTasks found, store_.GetJob(job.owner, job.id));
        ASSIGN_OR_RETURN(const std::vector<store::DeviceRow> devices, store_.Devices());
        const auto stream = std::make_shared<RecordStream>(store_, found, devices, kind);
        stream->KeepAlive(stream);
        stream->Start();
        return stream;
      });
}

grpc::ServerUnaryReactor* JobService::Cancel(grpc::CallbackServerContext* context,
                                             const pb::JobRequest* request,
                                             pb::JobSnapshot* reply) {
  return AdmitUnary(admission_, context, "/burnish.v1.JobService/Cancel", *request,
                    [&] { return Control(jobs::Cancel, *request, *reply); });
}

grpc::ServerUnaryReactor* JobService::Pause(grpc::CallbackServerContext* context,
                                            const pb::JobRequest* request, pb::JobSnapshot* reply) {
  return AdmitUnary(admission_, context, "/burnish.v1.JobService/Pause", *request,
                    [&] { return Control(jobs::Pause, *request, *reply); });
}

grpc::ServerUnaryReactor* JobService::Finish(grpc::CallbackServerContext* context,
                                             const pb::JobRequest* request,
                                             pb::JobSnapshot* reply) {
  return AdmitUnary(admission_, context, "/burnish.v1.JobService/Finish", *request,
                    [&] { return Control(jobs::Finish, *request, *reply); });
}

absl::Status JobService::Control(absl::Status (*change)(store::Store&, const Namespace&, JobId),
                                 const pb::JobRequest& request, pb::JobSnapshot& reply) {
  ASSIGN_OR_RETURN(const JobName job, JobOf(request));
  RETURN_IF_ERROR(change(store_, job.owner, job.id));
  changed_();
  return Snapshot(job.owner, job.id, reply);
}

grpc::ServerUnaryReactor* JobService::Resume(grpc::CallbackServerContext* context,
                                             const pb::ResumeRequest* request,
                                             pb::JobSnapshot* reply) {
  return AdmitUnary(admission_, context, "/burnish.v1.JobService/Resume", *request,
                    [&] { return ResumeJob(*request, *reply); });
}

absl::Status JobService::ResumeJob(const pb::ResumeRequest& request, pb::JobSnapshot& reply) {
  ASSIGN_OR_RETURN(const JobName job, JobOf(request));
  ASSIGN_OR_RETURN(const std::string hold_id, CheckHold(request.hold_id()));
  RETURN_IF_ERROR(jobs::Resume(store_, job.owner, job.id, hold_id));
  RETURN_IF_ERROR(PauseUnlessHeld(hold_id));
  changed_();
  return Snapshot(job.owner, job.id, reply);
}

grpc::ServerUnaryReactor* JobService::Devices(grpc::CallbackServerContext* context,
                                              const pb::DevicesRequest* request,
                                              pb::DevicesReply* reply) {
  return AdmitUnary(admission_, context, "/burnish.v1.JobService/Devices", *request,
                    [&]() -> absl::Status {
                      ASSIGN_OR_RETURN(const auto rows, store_.Devices());
                      for (const store::DeviceRow& row : rows) {
                        *reply->add_devices() = ToProto(row, store_.Now());
                      }
                      return absl::OkStatus();
                    });
}

grpc::ServerWriteReactor<pb::HoldReply>* JobService::Hold(grpc::CallbackServerContext* context,
                                                          const pb::HoldRequest* request) {
  using Reactor = grpc::ServerWriteReactor<pb::HoldReply>;
  using Stream = absl::StatusOr<std::shared_ptr<HoldStream>>;
  return AdmitStream<Reactor>(
      admission_, context, "/burnish.v1.JobService/Hold", *request, [&]() -> Stream {
        const std::string hold_id = request->hold_id();
        if (clients_.holds == nullptr) {
          return absl::FailedPreconditionError("only a private server ends with its clients");
        }
        if (hold_id.empty() || hold_id.size() > limits::kNameBytes) {
          return InvalidInput("hold_id: missing or too long");
        }
        if (!clients_.holds->Begin(hold_id)) {
          return absl::UnavailableError("the private server is just ending");
        }
        if (request->needs_devices()) clients_.need_devices();
        const auto stream = std::make_shared<HoldStream>([this, hold_id] {
          if (!clients_.holds->End(hold_id)) return;
          const absl::Status paused = PauseUnlessHeld(hold_id);
          if (!paused.ok()) {
            Log(LogLevel::kError, "pause_failed", {{"status", paused.ToString()}});
          }
          changed_();
        });
        stream->KeepAlive(stream);
        stream->Send(pb::HoldReply());
        return stream;
      });
}

absl::StatusOr<std::string> JobService::CheckHold(const std::string& hold_id) {
  if (clients_.holds == nullptr) return std::string();
  if (hold_id.empty()) {
    return DiagnosticStatus(absl::StatusCode::kFailedPrecondition,
                            {.message = "the private server ends with its last client",
                             .hint = "use `burnish tune`, or name a server with --server"});
  }
  if (!clients_.holds->IsHeld(hold_id)) {
    return absl::FailedPreconditionError("hold_id: no client holds the server by this id");
  }
  return hold_id;
}

absl::Status JobService::PauseUnlessHeld(const std::string& hold_id) {
  if (hold_id.empty() || clients_.holds->IsHeld(hold_id)) return absl::OkStatus();
  return jobs::PauseJobsOfHold(store_, hold_id, kClientEnded);
}

}  // namespace burnish::rpc
