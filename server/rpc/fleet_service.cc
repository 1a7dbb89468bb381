#include "server/rpc/fleet_service.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "common/wire/enum_table.h"
#include "server/rpc/snapshot_wire.h"

namespace burnish::rpc {
namespace {

constexpr double kLargestWeight = 1000;

constexpr wire::EnumTable<store::Standing, pb::Standing, 3> kStandings = {{
    {store::Standing::kActive, pb::STANDING_ACTIVE},
    {store::Standing::kDraining, pb::STANDING_DRAINING},
    {store::Standing::kQuarantined, pb::STANDING_QUARANTINED},
}};

}  // namespace

FleetService::FleetService(store::Store& store, Admission& admission, std::function<void()> changed)
    : store_(store), admission_(admission), changed_(std::move(changed)) {}

grpc::ServerUnaryReactor* FleetService::SetStanding(grpc::CallbackServerContext* context,
                                                    const pb::SetStandingRequest* request,
                                                    pb::DevicesReply* reply) {
  return AdmitUnary(admission_, context, "/burnish.v1.FleetService/SetStanding", *request,
                    [&](const auth::Principal& principal) {
                      return Decide(*request, principal.Actor(), *reply);
                    });
}

absl::Status FleetService::Decide(const pb::SetStandingRequest& request, const std::string& actor,
                                  pb::DevicesReply& reply) {
  const auto standing = wire::DomainEnum(kStandings, request.standing(), "standing");
  if (!standing.ok()) return standing.status();
  if (request.target().empty() || request.reason().size() > limits::kOutcomeMessageBytes) {
    return InvalidInput("target: missing, or the reason is too long",
                        "name a device or an agent; `burnish devices` shows them");
  }
  RETURN_IF_ERROR(store_.SetStanding(request.target(), *standing, request.reason(), actor));
  Log(LogLevel::kInfo, "device_standing",
      {{"target", request.target()},
       {"standing", store::StandingName(*standing)},
       {"reason", request.reason()},
       {"actor", actor}});
  changed_();
  ASSIGN_OR_RETURN(const std::vector<store::DeviceRow> devices, store_.Devices());
  for (const store::DeviceRow& row : devices) {
    if (row.device.id.value() != request.target() && row.device.agent.value() != request.target()) {
      continue;
    }
    *reply.add_devices() = ToProto(row, store_.Now());
  }
  return absl::OkStatus();
}

absl::Status FleetService::ReadShares(pb::SharesReply& reply) {
  ASSIGN_OR_RETURN(const std::vector<store::Share> shares, store_.Shares());
  for (const store::Share& one : shares) {
    pb::Share& share = *reply.add_shares();
    share.set_team(one.owner.value());
    share.set_weight(one.weight);
    share.set_recent_device_seconds(one.device_seconds);
    share.set_running(one.leased);
  }
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* FleetService::Shares(grpc::CallbackServerContext* context,
                                               const pb::SharesRequest* request,
                                               pb::SharesReply* reply) {
  return AdmitUnary(admission_, context, "/burnish.v1.FleetService/Shares", *request,
                    [&] { return ReadShares(*reply); });
}

grpc::ServerUnaryReactor* FleetService::SetShare(grpc::CallbackServerContext* context,
                                                 const pb::SetShareRequest* request,
                                                 pb::SharesReply* reply) {
  return AdmitUnary(
      admission_, context, "/burnish.v1.FleetService/SetShare", *request, [&]() -> absl::Status {
        if (request->team().empty() || request->team().size() > limits::kNameBytes) {
          return InvalidInput("team: missing or too long", "name a namespace");
        }
        if (!(request->weight() > 0 && request->weight() <= kLargestWeight)) {
          return InvalidInput(absl::StrCat("weight: ", request->weight(), " is no weight"),
                              absl::StrCat("above 0, at most ", kLargestWeight));
        }
        RETURN_IF_ERROR(store_.SetWeight(Namespace(request->team()), request->weight()));
        changed_();
        return ReadShares(*reply);
      });
}

}  // namespace burnish::rpc
