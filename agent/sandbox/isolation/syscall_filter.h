// A list of system calls that are denied (seccomp): those that reach other processes, change the
// system or have been the way out of sandboxes. A process that uses one is ended by SIGSYS.
#pragma once

#include "absl/status/status.h"

namespace burnish::isolation {

enum class Profile {
  kBuild,      // starts programs; only sockets are refused without ending it, as libraries try them
  kCandidate,  // starts no process, signals nobody else, opens no socket, keeps nothing in the
               // kernel
};

bool HasSyscallFilter();

// For this thread and all that it starts from now on; for good.
absl::Status FilterSyscalls(Profile profile);

}  // namespace burnish::isolation
