// Finds out what this host and user allow, by trying.
#pragma once

#include <cstdint>
#include <optional>

#include "agent/sandbox/isolation/candidate_limits.h"
#include "agent/sandbox/isolation/cgroup.h"
#include "agent/sandbox/isolation/isolation.h"

namespace burnish::isolation {

struct Found {
  Isolation isolation;
  std::optional<CgroupParent> cgroups;
  int64_t memory_bytes = DefaultMemoryBytes();  // that a candidate may take beside its buffers
};

// The strongest isolation up to `ceiling`. Forks, so the caller must have one thread. Removes
// control groups that dead agents left.
Found Probe(Level ceiling);

}  // namespace burnish::isolation
