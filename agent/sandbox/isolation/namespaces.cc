#include "agent/sandbox/isolation/namespaces.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "agent/sandbox/isolation/root_view.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"
#include "common/base/subprocess.h"
#include "common/base/unique_fd.h"

namespace burnish::isolation {
namespace {

// Above the ranges that distributions give to people and services, below those of containers.
constexpr uid_t kNobody = 65533;
constexpr int kNamespaces =
    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;

absl::Status Failure(const char* what) { return absl::ErrnoToStatus(errno, what); }

absl::Status WriteFile(const std::string& path, const std::string& content) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, path);
  return WriteAll(fd.get(), path, content);
}

int WaitFor(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Lets `id` stand for itself in the user namespace of the process.
absl::Status MapIds(pid_t process, uid_t uid, gid_t gid) {
  const std::string proc = absl::StrCat("/proc/", process);
  RETURN_IF_ERROR(WriteFile(proc + "/setgroups", "deny"));
  RETURN_IF_ERROR(WriteFile(proc + "/gid_map", absl::StrCat(gid, " ", gid, " 1")));
  return WriteFile(proc + "/uid_map", absl::StrCat(uid, " ", uid, " 1"));
}

// unshare(), with the new user namespace's ids given by a child that stays in the old one, where
// root may choose them.
absl::Status Unshare(uid_t uid, gid_t gid) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Failure("pipe");
  const UniqueFd ready(ends[0]);
  UniqueFd unshared(ends[1]);
  const pid_t self = ::getpid();
  const pid_t mapper = ::fork();
  if (mapper < 0) return Failure("fork");
  if (mapper == 0) {
    unshared.Reset();
    char byte = 0;
    const bool go = ::read(ready.get(), &byte, 1) == 1;
    ::_exit(go && MapIds(self, uid, gid).ok() ? 0 : 1);
  }
  absl::Status status;
  if (::unshare(kNamespaces) != 0) status = Failure("unshare");
  if (status.ok() && ::write(unshared.get(), "", 1) != 1) status = Failure("write");
  unshared.Reset();
  const bool mapped = WaitFor(mapper) == 0;
  if (status.ok() && !mapped) {
    status = absl::PermissionDeniedError(absl::StrCat("user ", uid, " cannot be mapped"));
  }
  return status;
}

// The old process's life from now on.
[[noreturn]] void EndAs(pid_t child) {
  ::close_range(0, ~0U, 0);
  const int status = WaitFor(child);
  if (WIFSIGNALED(status)) {
    const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    ::setrlimit(RLIMIT_CORE, &none);
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

absl::Status ChangeIds(uid_t uid, gid_t gid) {
  if (::setresgid(gid, gid, gid) != 0) return Failure("setresgid");
  if (::setresuid(uid, uid, uid) != 0) return Failure("setresuid");
  return absl::OkStatus();
}

}  // namespace

absl::Status EnterNamespaces(const View& view, User user) {
  const bool other = user == User::kOther && ::geteuid() == 0;
  const uid_t uid = other ? kNobody : ::geteuid();
  const gid_t gid = other ? kNobody : ::getegid();
  if (other && ::setgroups(0, nullptr) != 0) return Failure("setgroups");
  RETURN_IF_ERROR(Unshare(uid, gid));
  const pid_t init = ::fork();
  if (init < 0) return Failure("fork");
  if (init > 0) EndAs(init);
  if (other) RETURN_IF_ERROR(ChangeIds(uid, gid));
  DieWithParent();  // after the change of users, which would cancel it
  RETURN_IF_ERROR(MakeRoot(view));
  if (::sethostname("burnish", 7) != 0) return Failure("sethostname");
  ::prctl(PR_SET_DUMPABLE, 0);
  return absl::OkStatus();
}

absl::Status WipeScratch(int64_t scratch_bytes) {
  DIR* const folder = ::opendir("/tmp");
  if (folder == nullptr) return Failure("/tmp");
  int entries = 0;
  while (::readdir(folder) != nullptr) ++entries;
  ::closedir(folder);
  if (entries <= 2) return absl::OkStatus();  // "." and ".."
  // Quicker and surer than removing what somebody else has made.
  if (::umount2("/tmp", MNT_DETACH) != 0) return Failure("umount of /tmp");
  return MountScratch("/tmp", scratch_bytes);
}

void EndAllOthers() {
  if (::getpid() != 1) return;
  ::kill(-1, SIGKILL);
  while (::waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {
  }
}

absl::Status BecomeNobody() {
  if (::geteuid() != 0) return absl::OkStatus();
  if (::setgroups(0, nullptr) != 0) return Failure("setgroups");
  return ChangeIds(kNobody, kNobody);
}

}  // namespace burnish::isolation
