// Starting and ending child processes (posix_spawn: safe in a process with threads or gRPC).
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/base/unique_fd.h"

namespace burnish {

struct SpawnOptions {
  std::vector<std::string> arguments;                   // [0] is the program's full path
  std::optional<std::vector<std::string>> environment;  // NAME=VALUE; absent: the parent's
  std::string working_folder;                           // empty: the parent's
  // (descriptor in the child, descriptor here). Standard streams that are not listed are
  // /dev/null; every other descriptor is closed in the child.
  std::vector<std::pair<int, int>> descriptors;
  bool new_session = false;  // setsid: detached from the terminal; implies a group of its own
  bool new_group = true;     // leader of a process group of its own
};

struct ExitStatus {
  int code = 0;    // exit code, if it ended by itself
  int signal = 0;  // the signal that ended it, else 0
  bool ok() const { return code == 0 && signal == 0; }
};
std::string ToText(const ExitStatus& status);  // "exit code 3", "signal 11 (Segmentation fault)"

// A running child. Destroying it kills its whole group and reaps it. A group does not outlive its
// leader: when the child ends by itself, Wait() kills what it left in its group. Not thread-safe,
// but for Kill(), which any thread may call.
class ChildProcess {
 public:
  static absl::StatusOr<ChildProcess> Spawn(const SpawnOptions& options);
  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  // Readable when the child has ended (pidfd), for poll().
  int exit_fd() const { return pidfd_.get(); }
  // Nothing if it still runs after `timeout`. After a status, running() is false and there is
  // nothing left to wait for.
  std::optional<ExitStatus> Wait(absl::Duration timeout);
  // SIGKILL to the whole group; Wait() still has to reap.
  void Kill();
  void Signal(int signal);
  // Forgets the child without ending it.
  void Release();

 private:
  void Send(int signal);
  void KillAndReap();

  // Held while pid_ changes, so that Kill() never hits a process that got the number anew.
  // Behind a pointer, as a child moves.
  std::unique_ptr<absl::Mutex> mutex_;
  pid_t pid_ = -1;
  bool group_ = false;  // leads a process group of its own
  UniqueFd pidfd_;
};

// Runs a program to its end and collects its output (both streams together, cut at max_bytes).
struct CapturedRun {
  ExitStatus status;
  bool timed_out = false;
  std::string output;
};
absl::StatusOr<CapturedRun> RunCaptured(const SpawnOptions& options, absl::Duration timeout,
                                        size_t max_bytes);

// For programs started by us: SIGKILL to this process when the thread that started it ends.
void DieWithParent();

}  // namespace burnish
