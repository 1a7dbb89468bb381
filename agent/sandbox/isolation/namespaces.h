// Namespaces of its own for a process and all that it starts: users, process ids, mounts, network,
// System V objects, host name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace burnish::isolation {

// What such a process sees of the file system, beside the system's folders (/usr, some of /etc and
// /dev): all of it read-only. Paths that are not there are left out.
struct View {
  std::vector<std::string> readable;
  std::vector<std::string> writable;  // the exceptions
  int64_t scratch_bytes = 0;          // of /tmp, which is private
};

enum class User {
  kSame,   // of the host
  kOther,  // one that owns nothing on the host, if this process is root; else the same
};

// Splits this process, which must have one thread, in two. The call returns in a new one, the init
// process of the namespaces: when it ends, everything in them does. The old one stays outside with
// no descriptor open, waits, and ends in the same way; killing it ends the new one.
//
// After an error the process is in no state to go on.
absl::Status EnterNamespaces(const View& view, User user);

// Empties the private /tmp, from within the namespaces' init process.
absl::Status WipeScratch(int64_t scratch_bytes);

// Kills and waits for everything in the namespaces but this process, if it is their init process;
// else a no-op.
void EndAllOthers();

// Takes root's place among those who own nothing; with limits on processes that bind. A no-op for
// everybody else.
absl::Status BecomeNobody();

}  // namespace burnish::isolation
