#include "common/base/subprocess.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/poll.h"
#include "common/base/status_macros.h"

namespace burnish {
namespace {

// What posix_spawn does between fork and exec.
class FileActions {
 public:
  FileActions() { CHECK(posix_spawn_file_actions_init(&actions_) == 0); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  absl::Status Build(const SpawnOptions& options);
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
  std::vector<UniqueFd> sources_;
};

absl::Status FileActions::Build(const SpawnOptions& options) {
  if (!options.working_folder.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions_, options.working_folder.c_str());
  }
  std::set<int> targets;
  int last = STDERR_FILENO;
  for (const auto& [target, source] : options.descriptors) {
    CHECK(target >= 0 && targets.insert(target).second) << "descriptor " << target;
    last = std::max(last, target);
  }
  for (int fd = 0; fd <= last; ++fd) {
    if (targets.contains(fd)) continue;
    if (fd <= STDERR_FILENO) {
      posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_RDWR, 0);
    } else {
      posix_spawn_file_actions_addclose(&actions_, fd);
    }
  }
  for (const auto& [target, source] : options.descriptors) {
    // From a copy above all targets, so that no target overwrites a source still needed.
    UniqueFd copy(::fcntl(source, F_DUPFD_CLOEXEC, last + 1));
    if (!copy.valid()) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot pass on descriptor ", source));
    }
    posix_spawn_file_actions_adddup2(&actions_, copy.get(), target);
    sources_.push_back(std::move(copy));
  }
  posix_spawn_file_actions_addclosefrom_np(&actions_, last + 1);
  return absl::OkStatus();
}

class Attributes {
 public:
  explicit Attributes(const SpawnOptions& options) {
    CHECK(posix_spawnattr_init(&attributes_) == 0);
    // A child starts with no signal blocked or ignored, whatever its parent does with them.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    // A session leader leads a group already; setpgid would fail on it.
    if (options.new_session) {
      flags |= POSIX_SPAWN_SETSID;
    } else if (options.new_group) {
      flags |= POSIX_SPAWN_SETPGROUP;
    }
    posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

// The C library's wrapper lacks C linkage in glibc 2.36. Pidfds are close-on-exec.
int OpenPidfd(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

// The null-terminated pointers exec wants; valid while `strings` stays as it is.
std::vector<char*> PointersTo(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

std::string ToText(const ExitStatus& status) {
  if (status.signal == 0) return absl::StrCat("exit code ", status.code);
  const char* description = ::sigdescr_np(status.signal);
  if (description == nullptr) return absl::StrCat("signal ", status.signal);
  return absl::StrCat("signal ", status.signal, " (", description, ")");
}

absl::StatusOr<ChildProcess> ChildProcess::Spawn(const SpawnOptions& options) {
  CHECK(!options.arguments.empty());
  FileActions actions;
  RETURN_IF_ERROR(actions.Build(options));
  const Attributes attributes(options);
  const std::vector<char*> arguments = PointersTo(options.arguments);
  std::vector<char*> environment;
  if (options.environment.has_value()) environment = PointersTo(*options.environment);

  ChildProcess child;
  const int error =
      ::posix_spawn(&child.pid_, arguments[0], actions.get(), attributes.get(), arguments.data(),
                    options.environment.has_value() ? environment.data() : environ);
  if (error != 0) {
    child.pid_ = -1;
    return absl::ErrnoToStatus(error, absl::StrCat("cannot start ", options.arguments[0]));
  }
  child.mutex_ = std::make_unique<absl::Mutex>();
  child.group_ = options.new_session || options.new_group;
  child.pidfd_ = UniqueFd(OpenPidfd(child.pid_));
  if (!child.pidfd_.valid()) {  // `child` ends the process
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot watch ", options.arguments[0]));
  }
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept { *this = std::move(other); }

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this == &other) return *this;
  KillAndReap();
  mutex_ = std::move(other.mutex_);
  pid_ = std::exchange(other.pid_, -1);
  group_ = other.group_;
  pidfd_ = std::move(other.pidfd_);
  return *this;
}

ChildProcess::~ChildProcess() { KillAndReap(); }

std::optional<ExitStatus> ChildProcess::Wait(absl::Duration timeout) {
  CHECK(running());
  pollfd poll{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
  if (!PollUntil({&poll, 1}, DeadlineAfter(timeout))) return std::nullopt;

  absl::MutexLock lock(mutex_.get());
  // Not reaped yet, the child still holds its number: its group is surely the one meant.
  if (group_) ::kill(-pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0) {
    CHECK(errno == EINTR) << "waitpid: " << std::strerror(errno);
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) return ExitStatus{.code = 0, .signal = WTERMSIG(status)};
  return ExitStatus{.code = WEXITSTATUS(status), .signal = 0};
}

void ChildProcess::Kill() { Send(SIGKILL); }

void ChildProcess::Signal(int signal) { Send(signal); }

void ChildProcess::Send(int signal) {
  if (mutex_ == nullptr) return;
  absl::MutexLock lock(mutex_.get());
  if (pid_ > 0) ::kill(group_ ? -pid_ : pid_, signal);
}

void ChildProcess::Release() {
  if (mutex_ == nullptr) return;
  absl::MutexLock lock(mutex_.get());
  pid_ = -1;
  pidfd_.Reset();
}

void ChildProcess::KillAndReap() {
  if (!running()) return;
  Kill();
  if (pidfd_.valid()) {
    Wait(absl::InfiniteDuration());
  } else {
    ::waitpid(pid_, nullptr, 0);
  }
}

absl::StatusOr<CapturedRun> RunCaptured(const SpawnOptions& options, absl::Duration timeout,
                                        size_t max_bytes) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "cannot make a pipe");
  const UniqueFd output(ends[0]);
  UniqueFd input(ends[1]);
  // Only our end: the file status flags of the other end are the child's.
  CHECK(::fcntl(output.get(), F_SETFL, O_NONBLOCK) == 0);
  SpawnOptions captured = options;
  captured.descriptors.emplace_back(STDOUT_FILENO, input.get());
  captured.descriptors.emplace_back(STDERR_FILENO, input.get());
  const absl::Duration deadline = DeadlineAfter(timeout);
  ASSIGN_OR_RETURN(ChildProcess child, ChildProcess::Spawn(captured));
  input.Reset();

  CapturedRun run;
  // Takes one piece out of the pipe; false if there was none.
  const auto read_piece = [&] {
    char piece[1 << 14];
    ssize_t got;
    do {
      got = ::read(output.get(), piece, sizeof(piece));
    } while (got < 0 && errno == EINTR);
    if (got <= 0) return false;
    const size_t room = max_bytes - run.output.size();
    run.output.append(piece, std::min(room, static_cast<size_t>(got)));
    return true;
  };
  // The child's end counts, not the pipe's: a grandchild may hold the pipe for ever.
  pollfd polls[] = {{.fd = child.exit_fd(), .events = POLLIN, .revents = 0},
                    {.fd = output.get(), .events = POLLIN, .revents = 0}};
  while (polls[0].revents == 0) {
    PollUntil(polls, deadline);
    if (polls[1].revents != 0 && !read_piece()) polls[1].fd = -1;
    if (polls[0].revents == 0 && SystemClock().Monotonic() >= deadline) {
      run.timed_out = true;
      child.Kill();
      break;
    }
  }
  run.status = *child.Wait(absl::InfiniteDuration());
  while (run.output.size() < max_bytes && read_piece()) {
  }
  return run;
}

void DieWithParent() { CHECK(::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0); }

}  // namespace burnish
