// What people and their programs ask of the server: translate, authorise, delegate.
//
// Thread-safe: gRPC calls handlers from its own threads. Everything it is given outlives it.
#pragma once

#include <functional>

#include "burnish/v1/job_service.grpc.pb.h"
#include "server/private/hold_registry.h"
#include "server/rpc/admission.h"
#include "server/rpc/deferred_calls.h"
#include "server/rpc/watch_hub.h"
#include "server/store/store.h"

namespace burnish::rpc {

// A private server's clients; absent on every other server.
struct PrivateClients {
  server::HoldRegistry* holds = nullptr;
  std::function<void()> need_devices;
};

class JobService final : public pb::JobService::CallbackService {
 public:
  // `changed` is called after every change of the store.
  JobService(store::Store& store, Admission& admission, WatchHub& hub, PrivateClients clients,
             std::function<void()> changed);

  // Submissions that wait or come later are refused; everything else is answered as before.
  void RefuseSubmissions(const absl::Status& reason) { submissions_.Refuse(reason); }
  // As above, and returns when no submission is being worked on any more.
  void Stop(const absl::Status& reason) { submissions_.Stop(reason); }

  grpc::ServerUnaryReactor* Submit(grpc::CallbackServerContext* context,
                                   const pb::SubmitRequest* request,
                                   pb::SubmitReply* reply) override;
  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context, const pb::GetRequest* request,
                                pb::JobSnapshot* reply) override;
  grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context,
                                 const pb::ListRequest* request, pb::ListReply* reply) override;
  grpc::ServerWriteReactor<pb::JobSnapshot>* Watch(grpc::CallbackServerContext* context,
                                                   const pb::WatchRequest* request) override;
  grpc::ServerWriteReactor<pb::Record>* Records(grpc::CallbackServerContext* context,
                                                const pb::RecordsRequest* request) override;
  grpc::ServerUnaryReactor* Source(grpc::CallbackServerContext* context,
                                   const pb::JobRequest* request, pb::SourceReply* reply) override;
  grpc::ServerUnaryReactor* Cancel(grpc::CallbackServerContext* context,
                                   const pb::JobRequest* request, pb::JobSnapshot* reply) override;
  grpc::ServerUnaryReactor* Pause(grpc::CallbackServerContext* context,
                                  const pb::JobRequest* request, pb::JobSnapshot* reply) override;
  grpc::ServerUnaryReactor* Finish(grpc::CallbackServerContext* context,
                                   const pb::JobRequest* request, pb::JobSnapshot* reply) override;
  grpc::ServerUnaryReactor* Resume(grpc::CallbackServerContext* context,
                                   const pb::ResumeRequest* request,
                                   pb::JobSnapshot* reply) override;
  grpc::ServerUnaryReactor* Devices(grpc::CallbackServerContext* context,
                                    const pb::DevicesRequest* request,
                                    pb::DevicesReply* reply) override;
  grpc::ServerWriteReactor<pb::HoldReply>* Hold(grpc::CallbackServerContext* context,
                                                const pb::HoldRequest* request) override;

 private:
  absl::Status SubmitJob(const pb::SubmitRequest& request, const std::string& actor,
                         pb::SubmitReply& reply);
  // Cancel, Pause or Finish of server/jobs/control.h, and what the job is after it.
  absl::Status Control(absl::Status (*change)(store::Store&, const Namespace&, JobId),
                       const pb::JobRequest& request, pb::JobSnapshot& reply);
  absl::Status ResumeJob(const pb::ResumeRequest& request, pb::JobSnapshot& reply);
  absl::Status Snapshot(const Namespace& owner, JobId id, pb::JobSnapshot& reply,
                        const std::optional<expr::Expression>& where = std::nullopt);
  // On a private server a job needs a client that is there; the id to store otherwise is empty.
  absl::StatusOr<std::string> CheckHold(const std::string& hold_id);
  // The client may have died while its job was being stored.
  absl::Status PauseUnlessHeld(const std::string& hold_id);

  store::Store& store_;
  Admission& admission_;
  WatchHub& hub_;
  const PrivateClients clients_;
  const std::function<void()> changed_;
  DeferredCalls submissions_;  // last: its thread uses all of the above
};

}  // namespace burnish::rpc
