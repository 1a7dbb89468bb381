// The runner: the process that executes a candidate, and the only one. A zygote forks it for one
// candidate; it gets a socket, the shared buffers and the candidate's code as descriptors, and
// knows neither reference values nor the agent. Single-threaded, but for what the candidate starts.
#pragma once

#include <cstdint>

namespace burnish::worker {

inline constexpr int kRunnerSocket = 3;
inline constexpr int kRunnerMemory = 4;
inline constexpr int kRunnerArtefact = 5;
inline constexpr int kRunnerDescriptors = 3;  // so many, from the socket on

// What it does to itself before it loads foreign code.
struct RunnerConfinement {
  bool limits = false;
  bool seccomp = false;
  bool changes_user = false;  // root becomes nobody
  int64_t memory_bytes = 0;   // beside its buffers
  bool in_group = false;      // a control group bounds memory and threads
  bool own_user = false;      // whose threads can be counted
};

// Serves until the socket is closed; the process's exit code.
int ServeRunner(const RunnerConfinement& confinement);

}  // namespace burnish::worker
