// The gRPC listener of a server.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/net/address.h"
#include "grpcpp/impl/service_type.h"
#include "grpcpp/server.h"

namespace burnish::rpc {

class Endpoint {
 public:
  // FailedPrecondition if the port or socket is taken. The services outlive the endpoint.
  static absl::StatusOr<std::unique_ptr<Endpoint>> Listen(
      const net::ServerAddress& address, const std::vector<grpc::Service*>& services);
  ~Endpoint();

  // As it listens: port 0 has become a real one.
  const net::ServerAddress& address() const { return address_; }
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
