#include "agent/sandbox/isolation/probe.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "absl/strings/str_cat.h"
#include "agent/sandbox/isolation/candidate_limits.h"
#include "agent/sandbox/isolation/namespaces.h"
#include "agent/sandbox/isolation/syscall_filter.h"
#include "common/base/unique_fd.h"

namespace burnish::isolation {
namespace {

// Enters namespaces in a process of its own; what went wrong, or nothing.
std::string TryNamespaces() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "pipe";
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return "fork";
  if (child == 0) {
    const absl::Status status = EnterNamespaces(
        {.readable = {}, .writable = {}, .scratch_bytes = kScratchBytes}, User::kOther);
    const std::string text = status.ok() ? "+" : std::string(status.message());
    (void)!::write(writing.get(), text.data(), std::min<size_t>(text.size(), 512));
    ::_exit(0);
  }
  writing.Reset();
  char text[512];
  ssize_t got = 0;
  do {
    got = ::read(reading.get(), text, sizeof(text));
  } while (got < 0 && errno == EINTR);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  const std::string answer(text, std::max<ssize_t>(got, 0));
  if (answer == "+") return "";
  return answer.empty() ? "the trial ended" : answer;
}

}  // namespace

Found Probe(Level ceiling) {
  Found found;
  Isolation& isolation = found.isolation;
  const auto lacks = [&](const char* what, const std::string& why) {
    isolation.missing.push_back(absl::StrCat(what, ": ", why));
  };
  if (ceiling == Level::kNone) return found;
  isolation.limits = true;
  isolation.seccomp = HasSyscallFilter();
  if (!isolation.seccomp) lacks("seccomp", "the kernel has no filter of system calls");
  if (ceiling >= Level::kNamespace) {
    const std::string obstacle = TryNamespaces();
    isolation.namespaces = obstacle.empty();
    if (!obstacle.empty()) lacks("namespaces", obstacle);
  }
  if (ceiling >= Level::kFull) {
    absl::StatusOr<CgroupParent> parent = CgroupParent::FindOwn();
    if (parent.ok()) {
      parent->RemoveStale();
      isolation.cgroup = parent->version();
      found.cgroups = *std::move(parent);
    } else {
      lacks("cgroup", std::string(parent.status().message()));
    }
  }
  return found;
}

}  // namespace burnish::isolation
