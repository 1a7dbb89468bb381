// Counts every call of our services, with its status and its time, whatever kind it is.
//
// An interceptor, because it alone sees the status of every kind of reactor; it cannot stop a call,
// and does not have to.
#pragma once

#include <memory>

#include "grpcpp/support/server_interceptor.h"
#include "server/telemetry/server_metrics.h"

namespace burnish::rpc {

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> CountCalls(
    const server::ServerMetrics& metrics);

}  // namespace burnish::rpc
