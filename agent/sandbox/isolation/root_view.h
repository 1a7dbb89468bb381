// The file system that a process in mount and user namespaces of its own sees. Single-threaded.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "agent/sandbox/isolation/namespaces.h"

namespace burnish::isolation {

// Replaces the root by a new one that holds the view and nothing else. /proc is that of this
// process's pid namespace.
absl::Status MakeRoot(const View& view);

// Memory as an empty folder of bounded size and number of files.
absl::Status MountScratch(const std::string& path, int64_t bytes);

}  // namespace burnish::isolation
