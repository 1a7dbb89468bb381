// One run worker at a time measures where an agent's link to it may drop: the one before may not
// have noticed yet.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace burnish::worker {

struct RunLockPatience {
  // With one of the same agent: one that was hung up on ends within a second.
  absl::Duration stale = absl::Seconds(2);
  absl::Duration any = absl::Seconds(20);
};

// Makes `path` if needed and holds it for as long as this process lives.
//
// One that was started for the same agent is in nobody's service any more, as an agent has one at a
// time: it is given a moment to end by itself, then it is killed. One of another agent is waited
// for, a while: FailedPrecondition, naming it.
absl::Status TakeRunLock(const std::string& path, const std::string& agent,
                         const RunLockPatience& patience = {});

}  // namespace burnish::worker
