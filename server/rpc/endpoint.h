// The gRPC listener of a server, with grpc.health.v1 beside the services it is given.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/net/address.h"
#include "common/net/transport.h"
#include "grpcpp/impl/service_type.h"
#include "grpcpp/server.h"
#include "server/telemetry/server_metrics.h"

namespace burnish::rpc {

struct EndpointOptions {
  server::ServerMetrics metrics;
  bool reflection = false;  // whether tools may ask for the services' descriptions
  net::TlsFiles tls;        // none: plain text
  absl::Duration tls_reload = absl::Minutes(1);
};

class Endpoint {
 public:
  // FailedPrecondition if the port or socket is taken, InvalidArgument for bad TLS files. The
  // services outlive the endpoint.
  static absl::StatusOr<std::unique_ptr<Endpoint>> Listen(
      const net::ServerAddress& address, const std::vector<grpc::Service*>& services,
      const EndpointOptions& options = {});
  ~Endpoint();

  // As it listens: port 0 has become a real one.
  const net::ServerAddress& address() const { return address_; }
  // What health checks are told of the server and of each service; at first that it serves none.
  void SetServing(bool serving);
  // Accepts nothing more; calls that have not ended by themselves after `grace` are cancelled.
  // Returns when no handler runs any more.
  void Shutdown(absl::Duration grace);

 private:
  Endpoint(net::ServerAddress address, std::unique_ptr<grpc::Server> server)
      : address_(std::move(address)), server_(std::move(server)) {}
  const net::ServerAddress address_;
  const std::unique_ptr<grpc::Server> server_;
};

}  // namespace burnish::rpc
