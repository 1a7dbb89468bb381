// What every command of `burnish` accepts, and the exit codes that scripts rely on.
#pragma once

#include <string>

#include "absl/time/time.h"

namespace burnish::cli {

enum ExitCode {
  kExitDone = 0,
  kExitJobFailed = 1,
  kExitUsage = 2,
  kExitUnreachable = 3,
  kExitNotAllowed = 4,
  kExitInterrupted = 5,
  kExitTimeout = 6,
};

struct GlobalOptions {
  std::string program = "burnish";  // as it was called, for commands to copy
  std::string server;               // empty: the private server of this machine
  std::string owner = "default";    // --namespace
  bool json = false;
  bool quiet = false;
  bool insecure = false;
  double connect_timeout_seconds = 10;

  // A command to type next, on the same server.
  std::string Command(const std::string& verb_and_arguments) const {
    return program + " " + verb_and_arguments + (server.empty() ? "" : " --server " + server);
  }
  absl::Duration connect_timeout() const { return absl::Seconds(connect_timeout_seconds); }
};

}  // namespace burnish::cli
