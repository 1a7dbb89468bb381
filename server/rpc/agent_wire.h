// What agents say of themselves and of what they hold: server domain <-> protobuf. Pure functions.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "burnish/v1/agent_service.pb.h"
#include "server/dispatch/dispatcher.h"
#include "server/store/store.h"

namespace burnish::rpc {

namespace pb = burnish::v1;

pb::HeldAttempt ToProto(const store::HeldAttempt& held);

// InvalidArgument, naming the field, for what is unknown or missing.
absl::StatusOr<std::vector<store::HeldAttempt>> HeldFromProto(
    const google::protobuf::RepeatedPtrField<pb::HeldAttempt>& held);
absl::StatusOr<dispatch::AgentHello> FromProto(const pb::Hello& proto);

}  // namespace burnish::rpc
