// absl::Status <-> grpc::Status. The codes are the same numbers; a Diagnostic crosses in the
// status's details. Pure functions.
#pragma once

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace burnish::net {

// Long messages are cut: a status travels in metadata, which is bounded.
grpc::Status ToGrpcStatus(const absl::Status& status);
absl::Status ToAbslStatus(const grpc::Status& status);

}  // namespace burnish::net
