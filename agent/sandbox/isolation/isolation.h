// Which of the mechanisms that keep a candidate away from everything else are in force, as data:
// the agent reports it for its devices, and a job or an operator may demand a level.
//
// Levels, each holding what the ones before it do:
//   none       a process of its own without inherited descriptors or environment, killed as a group
//   process    + limits on memory, processor time, files and threads, no privileges, and a filter
//   of
//              system calls where the kernel has one; another user's, if the agent is root
//   namespace  + user, pid, mount, net, ipc and uts namespaces: no network, no process but its own,
//              a read-only view of the system's folders, a private /tmp of bounded size
//   full       + the filter of system calls for certain, and control groups that bound memory and
//              tasks of all its processes together
#pragma once

#include <string>
#include <vector>

#include "common/spec/isolation_level.h"

namespace burnish::isolation {

using Level = spec::IsolationLevel;

enum class CgroupVersion { kNone, kV1, kV2 };

struct Isolation {
  bool limits = false;  // resource limits and dropped privileges
  bool namespaces = false;
  bool seccomp = false;
  CgroupVersion cgroup = CgroupVersion::kNone;
  std::vector<std::string> missing;  // "cgroup: /sys/fs/cgroup/pids/burnish-7: Permission denied"

  Level level() const;
  // "full: user pid mount net ipc uts namespaces, cgroup v1, seccomp, rlimits"
  std::string ToText() const;
};

}  // namespace burnish::isolation
