// Takes big content from clients, a chunk at a time. A client sends a chunk when the one before is
// stored, which is all the back pressure there is. Thread-safe; the parts it is given outlive it.
#pragma once

#include "burnish/v1/blob_service.grpc.pb.h"
#include "server/rpc/admission.h"
#include "server/rpc/deferred_calls.h"
#include "server/store/store.h"
#include "server/telemetry/server_metrics.h"

namespace burnish::rpc {

namespace pb = burnish::v1;

class BlobService final : public pb::BlobService::CallbackService {
 public:
  BlobService(store::Store& store, Admission& admission, server::ServerMetrics metrics);

  // Uploads are refused from here on, and none is being worked on any more.
  void Stop(const absl::Status& reason) { uploads_.Stop(reason); }

  grpc::ServerUnaryReactor* Stat(grpc::CallbackServerContext* context,
                                 const pb::StatRequest* request, pb::BlobState* reply) override;
  grpc::ServerUnaryReactor* Upload(grpc::CallbackServerContext* context,
                                   const pb::UploadRequest* request, pb::BlobState* reply) override;

 private:
  absl::Status Find(const pb::StatRequest& request, pb::BlobState& reply);
  absl::Status Append(const pb::UploadRequest& request, pb::BlobState& reply);

  store::Store& store_;
  Admission& admission_;
  const server::ServerMetrics metrics_;
  DeferredCalls uploads_;  // last: its thread uses all of the above
};

}  // namespace burnish::rpc
