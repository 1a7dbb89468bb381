// Operators: domain <-> protobuf. Pure functions.
#pragma once

#include "absl/status/statusor.h"
#include "burnish/v1/operator.pb.h"
#include "common/op/operator.h"

namespace burnish::wire {

namespace pb = burnish::v1;

pb::EpilogueKind ToProto(op::EpilogueKind kind);
pb::Operator ToProto(const op::Operator& op);

// InvalidArgument, naming the field, for what is unknown or missing. An operator that comes out
// has passed op::CheckOperator().
absl::StatusOr<op::EpilogueKind> FromProto(pb::EpilogueKind kind);
absl::StatusOr<op::Operator> FromProto(const pb::Operator& op);

}  // namespace burnish::wire
