// What candidates could leave behind on a machine, counted.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace burnish::hostile {

// Below the agent: its descendants, and those of them that execute candidates ("runners"). Its and
// its workers' open descriptors. Mounts of the machine. Shared memory: System V's objects and files
// in /dev/shm. Files that hostile kernels make, or compilers have left in the state folder.
std::map<std::string, int> CountLeftovers(pid_t agent, const std::string& state_folder);

// Control groups of these processes that are still there.
std::vector<std::string> GroupsOf(const std::vector<pid_t>& processes);

// Of a process, in bytes; 0 if there is none.
int64_t ResidentBytes(pid_t process);
int OpenDescriptors(pid_t process);

}  // namespace burnish::hostile
