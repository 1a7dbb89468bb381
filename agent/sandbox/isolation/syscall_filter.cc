#include "agent/sandbox/isolation/syscall_filter.h"

#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace burnish::isolation {
namespace {

constexpr const char* kAlwaysDenied[] = {
    // other processes' memory
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp",
    // file systems and namespaces
    "mount", "umount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen",
    "fsconfig", "fsmount", "fspick", "mount_setattr", "unshare", "setns", "open_by_handle_at",
    "name_to_handle_at", "quotactl", "quotactl_fd", "fanotify_init",
    // large parts of the kernel, often with mistakes
    "bpf", "perf_event_open", "io_uring_setup", "io_uring_enter", "io_uring_register",
    "userfaultfd", "keyctl", "add_key", "request_key",
    // the machine
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot",
    "swapon", "swapoff", "acct", "settimeofday", "clock_settime", "clock_settime64",
    "clock_adjtime", "adjtimex", "sethostname", "setdomainname", "iopl", "ioperm", "syslog",
    "vhangup"};

constexpr const char* kDeniedToCandidates[] = {"execve", "execveat", "fork", "vfork", "socket",
                                               "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
                                               "pidfd_open", "pidfd_send_signal",
                                               // what would outlive its process
                                               "shmget", "semget", "msgget", "mq_open",
                                               // memory that no limit of a process counts
                                               "memfd_create", "memfd_secret"};

using Filter = std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, decltype(&seccomp_release)>;

// A call that this architecture or library does not know needs no rule.
template <typename... Comparisons>
absl::Status Add(const Filter& filter, uint32_t action, const char* name,
                 Comparisons... comparisons) {
  const int number = ::seccomp_syscall_resolve_name(name);
  if (number == __NR_SCMP_ERROR) return absl::OkStatus();
  const int error =
      ::seccomp_rule_add(filter.get(), action, number, sizeof...(comparisons), comparisons...);
  if (error == 0 || error == -EDOM) return absl::OkStatus();
  return absl::ErrnoToStatus(-error, absl::StrCat("seccomp rule for ", name));
}

absl::Status AddCandidateRules(const Filter& filter) {
  for (const char* name : kDeniedToCandidates) {
    RETURN_IF_ERROR(Add(filter, SCMP_ACT_KILL_PROCESS, name));
  }
  // Threads are its own affair, processes are not.
  RETURN_IF_ERROR(
      Add(filter, SCMP_ACT_KILL_PROCESS, "clone", SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)));
  const auto self = static_cast<scmp_datum_t>(::getpid());
  for (const char* name : {"kill", "tgkill"}) {
    RETURN_IF_ERROR(Add(filter, SCMP_ACT_KILL_PROCESS, name, SCMP_A0(SCMP_CMP_NE, self)));
  }
  // It ends with its parent.
  return Add(filter, SCMP_ACT_KILL_PROCESS, "prctl", SCMP_A0(SCMP_CMP_EQ, PR_SET_PDEATHSIG));
}

}  // namespace

bool HasSyscallFilter() {
  const uint32_t action = SECCOMP_RET_KILL_PROCESS;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

absl::Status FilterSyscalls(Profile profile) {
  const Filter filter(::seccomp_init(SCMP_ACT_ALLOW), &seccomp_release);
  if (filter == nullptr) return absl::InternalError("seccomp_init");
  for (const char* name : kAlwaysDenied) {
    RETURN_IF_ERROR(Add(filter, SCMP_ACT_KILL_PROCESS, name));
  }
  RETURN_IF_ERROR(Add(filter, SCMP_ACT_KILL_PROCESS, "clone",
                      SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER)));
  // Its flags lie in memory, where no filter sees them; the C library then uses clone.
  RETURN_IF_ERROR(Add(filter, SCMP_ACT_ERRNO(ENOSYS), "clone3"));
  if (profile == Profile::kCandidate) {
    RETURN_IF_ERROR(AddCandidateRules(filter));
  } else {
    RETURN_IF_ERROR(Add(filter, SCMP_ACT_ERRNO(EACCES), "socket"));
  }
  const int error = ::seccomp_load(filter.get());
  if (error == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(-error, "seccomp_load");
}

}  // namespace burnish::isolation
