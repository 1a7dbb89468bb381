// What people see of jobs, records and devices: server domain -> protobuf. Pure functions.
#pragma once

#include "burnish/v1/job_service.pb.h"
#include "server/jobs/snapshot.h"
#include "server/store/store.h"

namespace burnish::rpc {

namespace pb = burnish::v1;

pb::State ToProto(store::State state);
// `now` tells for how long a lost device has not been seen.
pb::Device ToProto(const store::DeviceRow& row, absl::Time now);
pb::Record ToProto(const store::ResultRow& row);
pb::JobSnapshot ToProto(const jobs::JobSnapshot& snapshot, absl::Time now);

}  // namespace burnish::rpc
