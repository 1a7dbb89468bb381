#include "server/rpc/agent_wire.h"

#include <utility>

#include "common/base/status_macros.h"
#include "common/wire/device.h"

namespace burnish::rpc {

absl::StatusOr<std::vector<store::HeldAttempt>> HeldFromProto(
    const google::protobuf::RepeatedPtrField<pb::HeldAttempt>& held) {
  std::vector<store::HeldAttempt> result;
  for (const pb::HeldAttempt& one : held) {
    if (one.attempt_id().empty()) return absl::InvalidArgumentError("holding.attempt_id: missing");
    result.push_back({.attempt = AttemptId(one.attempt_id()),
                      .work_item = WorkItemId(one.work_item_id()),
                      .fence = Fence(one.fence())});
  }
  return result;
}

pb::HeldAttempt ToProto(const store::HeldAttempt& held) {
  pb::HeldAttempt proto;
  proto.set_attempt_id(held.attempt.value());
  proto.set_work_item_id(held.work_item.value());
  proto.set_fence(held.fence.value());
  return proto;
}

absl::StatusOr<dispatch::AgentHello> FromProto(const pb::Hello& proto) {
  dispatch::AgentHello hello;
  hello.agent = AgentId(proto.agent_id());
  for (const pb::DeviceInfo& device : proto.devices()) {
    ASSIGN_OR_RETURN(work::DeviceInfo converted, wire::FromProto(device));
    hello.devices.push_back(std::move(converted));
  }
  ASSIGN_OR_RETURN(hello.holding, HeldFromProto(proto.holding()));
  hello.prefetch = proto.prefetch();
  return hello;
}

}  // namespace burnish::rpc
