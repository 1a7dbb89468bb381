#include "agent/sandbox/isolation/candidate_limits.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "agent/sandbox/isolation/namespaces.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"

namespace burnish::isolation {
namespace {

constexpr int64_t kMaxFiles = 256;

absl::Status Limit(__rlimit_resource resource, int64_t value) {
  rlimit current = {};
  if (::getrlimit(resource, &current) != 0) return absl::ErrnoToStatus(errno, "getrlimit");
  const rlim_t bound = std::min(static_cast<rlim_t>(value), current.rlim_max);
  const rlimit limit = {.rlim_cur = bound, .rlim_max = bound};
  if (::setrlimit(resource, &limit) != 0) return absl::ErrnoToStatus(errno, "setrlimit");
  return absl::OkStatus();
}

}  // namespace

int64_t MaxTasks() {
  return std::max<int64_t>(256, 4 * static_cast<int64_t>(std::thread::hardware_concurrency()));
}

int64_t DefaultMemoryBytes() {
  return static_cast<int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE) / 4;
}

absl::Status LimitCandidate(const ProcessLimits& limits) {
  // A convenience for the host; the group's own bound does not need it.
  const UniqueFd oom(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (oom.valid()) (void)!::write(oom.get(), "1000", 4);
  RETURN_IF_ERROR(Limit(RLIMIT_CORE, 0));
  RETURN_IF_ERROR(Limit(RLIMIT_FSIZE, kScratchBytes));
  RETURN_IF_ERROR(Limit(RLIMIT_NOFILE, kMaxFiles));
  RETURN_IF_ERROR(Limit(RLIMIT_MSGQUEUE, 0));
  if (limits.cpu_seconds > 0) RETURN_IF_ERROR(Limit(RLIMIT_CPU, limits.cpu_seconds));
  if (limits.address_space_bytes > 0) {
    RETURN_IF_ERROR(Limit(RLIMIT_AS, limits.address_space_bytes));
  }
  return limits.tasks > 0 ? Limit(RLIMIT_NPROC, limits.tasks) : absl::OkStatus();
}

absl::Status DropPrivileges() {
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability) >= 0; ++capability) {
    ::prctl(PR_CAPBSET_DROP, capability);  // fails, harmlessly, for whoever has none
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capset, &header, none) != 0) return absl::ErrnoToStatus(errno, "capset");
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return absl::ErrnoToStatus(errno, "no_new_privs");
  }
  return absl::OkStatus();
}

}  // namespace burnish::isolation
