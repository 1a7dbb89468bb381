// The server's web surface: /livez, for whoever watches over the process.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/net/address.h"

namespace burnish::http {

// Serves on threads of its own from construction to destruction.
class HttpServer {
 public:
  // FailedPrecondition if the port is taken or the address is not of this machine.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Listen(const net::ServerAddress& address);
  virtual ~HttpServer() = default;

  // As it listens: port 0 has become a real one.
  virtual const net::ServerAddress& address() const = 0;
};

}  // namespace burnish::http
