// What those who run the fleet decide about devices and teams. Thread-safe; the parts it is given
// outlive it.
#pragma once

#include <functional>
#include <string>

#include "burnish/v1/fleet_service.grpc.pb.h"
#include "server/rpc/admission.h"
#include "server/store/store.h"

namespace burnish::rpc {

namespace pb = burnish::v1;

class FleetService final : public pb::FleetService::CallbackService {
 public:
  // `changed` is called after every change of the store.
  FleetService(store::Store& store, Admission& admission, std::function<void()> changed);

  grpc::ServerUnaryReactor* SetStanding(grpc::CallbackServerContext* context,
                                        const pb::SetStandingRequest* request,
                                        pb::DevicesReply* reply) override;
  grpc::ServerUnaryReactor* Shares(grpc::CallbackServerContext* context,
                                   const pb::SharesRequest* request,
                                   pb::SharesReply* reply) override;
  grpc::ServerUnaryReactor* SetShare(grpc::CallbackServerContext* context,
                                     const pb::SetShareRequest* request,
                                     pb::SharesReply* reply) override;

 private:
  absl::Status Decide(const pb::SetStandingRequest& request, const std::string& actor,
                      pb::DevicesReply& reply);
  absl::Status ReadShares(pb::SharesReply& reply);

  store::Store& store_;
  Admission& admission_;
  const std::function<void()> changed_;
};

}  // namespace burnish::rpc
