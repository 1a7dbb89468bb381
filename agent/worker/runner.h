// The runner: the process that executes a candidate, and the only one. Started by a run worker for
// one candidate, it gets a socket (descriptor 3) and the shared buffers (descriptor 4), and knows
// neither reference values nor the agent. Single-threaded, but for what the candidate starts.
#pragma once

namespace burnish::worker {

inline constexpr int kRunnerSocket = 3;
inline constexpr int kRunnerMemory = 4;

// Serves until the socket is closed; the process's exit code.
int ServeRunner();

}  // namespace burnish::worker
