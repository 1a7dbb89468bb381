#include "agent/worker/run_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/file.h"
#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/base/unique_fd.h"

namespace burnish::worker {
namespace {

constexpr absl::Duration kInterval = absl::Milliseconds(20);

struct flock WholeFile() {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

// The process that has the lock, by the kernel's word; 0 if there is none.
pid_t HolderOf(int fd) {
  struct flock lock = WholeFile();
  return ::fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? lock.l_pid : 0;
}

}  // namespace

absl::Status TakeRunLock(const std::string& path, const std::string& agent,
                         const RunLockPatience& patience) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  const absl::Duration start = SystemClock().Monotonic();
  struct flock lock = WholeFile();
  while (::fcntl(fd.get(), F_SETLK, &lock) != 0) {
    if (errno != EACCES && errno != EAGAIN) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot lock ", path));
    }
    const absl::Duration waited = SystemClock().Monotonic() - start;
    char name[limits::kNameBytes];
    const ssize_t got = ::pread(fd.get(), name, sizeof(name), 0);
    const std::string holder(name, got > 0 ? static_cast<size_t>(got) : 0);
    const pid_t pid = HolderOf(fd.get());
    if (waited > patience.any) {
      return DiagnosticStatus(
          absl::StatusCode::kFailedPrecondition,
          {.file = path,
           .message = absl::StrCat("burnish-worker ", pid, " of agent ", holder, " measures here"),
           .hint = "one agent drives one board"});
    }
    if (waited > patience.stale && holder == agent && pid > 0) {
      Log(LogLevel::kWarning, "stale_worker_killed", {{"pid", absl::StrCat(pid)}});
      ::kill(pid, SIGKILL);
    }
    SleepThread(kInterval);
  }
  if (::ftruncate(fd.get(), 0) != 0 ||
      ::pwrite(fd.get(), agent.data(), agent.size(), 0) != static_cast<ssize_t>(agent.size())) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path));
  }
  fd.Release();
  return absl::OkStatus();
}

}  // namespace burnish::worker
