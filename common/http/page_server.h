// Serves a few fixed pages over HTTP, for people and programs that watch over a process: /livez,
// /readyz, /metrics. Every request is its own connection, on a small pool of threads.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/net/address.h"

namespace burnish::http {

struct Answer {
  int status = 200;
  std::string content;
  std::string content_type = "text/plain; charset=utf-8";
};

// By path. Called from several threads at once.
using Pages = std::map<std::string, std::function<Answer()>>;

// Serves from construction to destruction.
class PageServer {
 public:
  // FailedPrecondition if the port is taken or the address is not of this machine.
  static absl::StatusOr<std::unique_ptr<PageServer>> Listen(const net::ServerAddress& address,
                                                            Pages pages);
  virtual ~PageServer() = default;

  // As it listens: port 0 has become a real one.
  virtual const net::ServerAddress& address() const = 0;
};

}  // namespace burnish::http
