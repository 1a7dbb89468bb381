// Element types: domain <-> protobuf. Pure functions.
#pragma once

#include "absl/status/statusor.h"
#include "burnish/v1/dtype.pb.h"
#include "common/base/dtype.h"

namespace burnish::wire {

namespace pb = burnish::v1;

pb::Dtype ToProto(Dtype dtype);

// InvalidArgument for what is unknown or missing.
absl::StatusOr<Dtype> FromProto(pb::Dtype dtype);

}  // namespace burnish::wire
