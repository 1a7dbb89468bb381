// Control groups for the processes of candidates: a bound on their memory and tasks together.
// Version 2 where its controllers are delegated to us, else version 1, else none.
//
// Groups are made beside or below the agent's own one and named after the process that made them,
// so that what a killed one left behind is found and removed by the next. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/sandbox/isolation/isolation.h"

namespace burnish::isolation {

inline constexpr char kCgroupMount[] = "/sys/fs/cgroup";

struct CgroupLimits {
  int64_t memory_bytes = 0;
  int64_t tasks = 0;  // threads and processes
};

// Where groups can be made.
class CgroupParent {
 public:
  // Below `mount`, for a process whose /proc/self/cgroup holds `own_groups`. An error says what
  // stands in the way.
  static absl::StatusOr<CgroupParent> Find(const std::string& mount, const std::string& own_groups);
  // This process's, in the usual place.
  static absl::StatusOr<CgroupParent> FindOwn();

  CgroupVersion version() const { return version_; }
  const std::string& memory() const { return memory_; }  // folders; one and the same in version 2
  const std::string& tasks() const { return tasks_; }

  // Removes the groups of processes that are no more, with whatever still runs in them.
  void RemoveStale() const;

 private:
  CgroupVersion version_ = CgroupVersion::kNone;
  std::string memory_;
  std::string tasks_;
};

// One group; removed when destroyed, which its processes must not outlive.
class Cgroup {
 public:
  // `number` tells the groups of this process apart.
  static absl::StatusOr<Cgroup> Make(const CgroupParent& parent, int number,
                                     const CgroupLimits& limits);
  Cgroup(Cgroup&& other) noexcept = default;
  Cgroup& operator=(Cgroup&& other) = delete;
  ~Cgroup();

  // A process joins by writing its id into the file `cgroup.procs` of each.
  const std::vector<std::string>& folders() const { return folders_; }
  // How many of its processes the kernel has ended for lack of memory.
  int64_t OomKills() const;

 private:
  Cgroup() = default;
  std::vector<std::string> folders_;  // that with the memory first
};

// Puts this process, and all that it will start, into a group.
absl::Status JoinCgroup(const std::string& folder);

}  // namespace burnish::isolation
