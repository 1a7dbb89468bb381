// What a process gives up before foreign code runs in it: privileges, and resources beyond bounds.
// Irrevocable. Single-threaded.
#pragma once

#include <cstdint>

#include "absl/status/status.h"

namespace burnish::isolation {

// Of files that it writes, and of its private /tmp.
inline constexpr int64_t kScratchBytes = 64 << 20;

// Threads and processes that a candidate may have at once.
int64_t MaxTasks();
// A quarter of this machine's.
int64_t DefaultMemoryBytes();

// 0: none.
struct ProcessLimits {
  int64_t cpu_seconds = 0;  // of all its threads together
  int64_t address_space_bytes = 0;
  int64_t tasks = 0;  // counts all of its user's
};

// Also asks to be the first to be ended when the system lacks memory, where it may.
absl::Status LimitCandidate(const ProcessLimits& limits);

// No capability is left, and none comes with a program that it starts.
absl::Status DropPrivileges();

}  // namespace burnish::isolation
