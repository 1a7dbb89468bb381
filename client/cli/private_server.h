// The private server of this machine: started on demand, shared by every `burnish` of the same
// data folder, gone with its last client.
#pragma once

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/subprocess.h"

namespace burnish::cli {

struct PrivateServer {
  std::string data_folder;
  std::string socket_folder;
  std::string address;  // unix:PATH
};

// Where this user's private server lives; creates nothing. Errors name the variable to set.
absl::StatusOr<PrivateServer> LocatePrivateServer();

class PrivateServerStarter {
 public:
  explicit PrivateServerStarter(PrivateServer server) : server_(std::move(server)) {}
  ~PrivateServerStarter();

  // Starts a server process in a session of its own, unless one that this object started is still
  // on its way. An error tells why the last one ended. Finding the data folder in use by another
  // server is no reason: the caller connects to that one.
  absl::Status EnsureStarting();

 private:
  absl::Status Start();
  PrivateServer server_;
  ChildProcess child_;
};

}  // namespace burnish::cli
