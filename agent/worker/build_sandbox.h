// The sandbox of a build worker. It runs a compiler, over text that nobody has looked at, but no
// program that comes out of it: it may start programs and write compiled code and the compile
// cache, has no network, and sees nothing else of its user's files.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "agent/sandbox/isolation/isolation.h"

namespace burnish::worker {

// Moves this process, which must have one thread, into it. `writable` are folders, made if they are
// not there; `readable` files.
absl::Status EnterBuildSandbox(const isolation::Isolation& isolation,
                               std::vector<std::string> writable,
                               std::vector<std::string> readable);

}  // namespace burnish::worker
