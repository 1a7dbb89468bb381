// The status that ends a client's call. What the store says of a database that cannot be used now
// gets a hint for whoever reads it; everything else passes as it is. Pure.
#pragma once

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace burnish::rpc {

grpc::Status ToAnswer(const absl::Status& status);

}  // namespace burnish::rpc
