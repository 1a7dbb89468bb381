// Takes, lists and removes imported records: translate, authorise, delegate. Thread-safe;
// everything it is given outlives it.
#pragma once

#include <string>

#include "burnish/v1/import_service.grpc.pb.h"
#include "server/rpc/admission.h"
#include "server/rpc/deferred_calls.h"
#include "server/store/store.h"

namespace burnish::rpc {

namespace pb = burnish::v1;

class ImportService final : public pb::ImportService::CallbackService {
 public:
  ImportService(store::Store& store, Admission& admission) : store_(store), admission_(admission) {}

  // Imports are refused from here on, and none is being worked on any more.
  void Stop(const absl::Status& reason) { imports_.Stop(reason); }

  grpc::ServerUnaryReactor* Import(grpc::CallbackServerContext* context,
                                   const pb::ImportRequest* request,
                                   pb::ImportReply* reply) override;
  grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context,
                                 const pb::ListImportsRequest* request,
                                 pb::ListImportsReply* reply) override;
  grpc::ServerUnaryReactor* Remove(grpc::CallbackServerContext* context,
                                   const pb::RemoveImportRequest* request,
                                   pb::RemoveImportReply* reply) override;

 private:
  absl::Status StoreRecords(const pb::ImportRequest& request, const std::string& actor,
                            pb::ImportReply& reply);
  absl::StatusOr<std::string> ContentOf(const Namespace& owner, const pb::ImportRequest& request);

  store::Store& store_;
  Admission& admission_;
  DeferredCalls imports_;  // last: its thread uses all of the above
};

}  // namespace burnish::rpc
