#include "agent/worker/zygote.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/backends/registry.h"
#include "agent/sandbox/isolation/candidate_limits.h"
#include "agent/sandbox/isolation/cgroup.h"
#include "agent/sandbox/isolation/namespaces.h"
#include "agent/worker/descriptor_passing.h"
#include "agent/worker/runner.h"
#include "common/base/clock.h"
#include "common/base/numbers.h"
#include "common/base/poll.h"
#include "common/base/status_macros.h"
#include "common/base/subprocess.h"
#include "common/base/unique_fd.h"

namespace burnish::worker {
namespace {

constexpr std::string_view kGroup = "group=";
constexpr std::string_view kMemory = "memory=";

// The sandbox, as far as it is there before any runner is.
absl::Status Enter(const ZygotePlan& plan) {
  for (const std::string& group : plan.groups) RETURN_IF_ERROR(isolation::JoinCgroup(group));
  if (plan.namespaces) {
    return isolation::EnterNamespaces(
        {.readable = {}, .writable = {}, .scratch_bytes = isolation::kScratchBytes},
        isolation::User::kOther);
  }
  // Else orphans would be somebody else's, and out of reach.
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return absl::ErrnoToStatus(errno, "subreaper");
  ::prctl(PR_SET_DUMPABLE, 0);
  return absl::OkStatus();
}

class Zygote {
 public:
  explicit Zygote(const ZygotePlan& plan) : plan_(plan) {}

  ZygoteAnswer Do(const ZygoteOrder& order, const std::vector<UniqueFd>& descriptors) {
    if (order.kind == ZygoteOrder::kEnd) return End(absl::Milliseconds(order.grace_ms));
    return Launch(descriptors);
  }

 private:
  ZygoteAnswer Launch(const std::vector<UniqueFd>& descriptors) {
    if (runner_ > 0 || descriptors.size() != kRunnerDescriptors) return Refusal("out of turn");
    const pid_t pid = ::fork();
    if (pid < 0) return Refusal(std::strerror(errno));
    if (pid == 0) BecomeRunner(descriptors);
    ::setpgid(pid, pid);  // whoever comes first, this process or the runner
    runner_ = pid;
    return {.ok = 1};
  }

  [[noreturn]] void BecomeRunner(const std::vector<UniqueFd>& descriptors) {
    DieWithParent();
    ::setpgid(0, 0);
    ::prctl(PR_SET_NAME, "burnish-runner");
    // From copies above all targets, so that no target overwrites a source still needed.
    int copies[kRunnerDescriptors];
    for (int i = 0; i < kRunnerDescriptors; ++i) {
      copies[i] =
          ::fcntl(descriptors[i].get(), F_DUPFD, kRunnerSocket + 2 * kRunnerDescriptors + i);
    }
    for (int i = 0; i < kRunnerDescriptors; ++i) {
      if (::dup2(copies[i], kRunnerSocket + i) < 0) ::_exit(1);
    }
    ::close_range(kRunnerSocket + kRunnerDescriptors, ~0U, 0);
    ::_exit(ServeRunner({.limits = plan_.limits,
                         .seccomp = plan_.seccomp,
                         .changes_user = !plan_.namespaces,
                         .memory_bytes = plan_.memory_bytes,
                         .in_group = !plan_.groups.empty(),
                         .own_user = plan_.namespaces || ::geteuid() == 0}));
  }

  ZygoteAnswer End(absl::Duration grace) {
    ZygoteAnswer answer{.ok = 1};
    if (runner_ > 0 && grace > absl::ZeroDuration()) {
      const UniqueFd watch(static_cast<int>(::syscall(SYS_pidfd_open, runner_, 0)));
      pollfd poll{.fd = watch.get(), .events = POLLIN, .revents = 0};
      answer.ended_by_itself = PollUntil({&poll, 1}, DeadlineAfter(grace)) ? 1 : 0;
    }
    KillAll(answer.wait_status);
    runner_ = -1;
    if (plan_.namespaces) {
      const absl::Status wiped = isolation::WipeScratch(isolation::kScratchBytes);
      if (!wiped.ok()) return Refusal(std::string(wiped.message()));
    }
    return answer;
  }

  // Returns when there is no process left but this one.
  void KillAll(int32_t& runner_status) {
    while (true) {
      if (plan_.namespaces) {
        ::kill(-1, SIGKILL);  // all others in the namespace, in one step
      } else {
        if (runner_ > 0) ::kill(-runner_, SIGKILL);
        for (const pid_t child : Children()) ::kill(child, SIGKILL);
      }
      int status = 0;
      const pid_t ended = ::waitpid(-1, &status, 0);
      if (ended < 0 && errno == EINTR) continue;
      if (ended < 0) return;
      if (ended == runner_) {
        runner_status = status;
        runner_ = -1;  // its number is free
      }
    }
  }

  // This process's, orphans of runners among them.
  static std::vector<pid_t> Children() {
    std::vector<pid_t> children;
    const pid_t self = ::getpid();
    std::ifstream list(absl::StrCat("/proc/", self, "/task/", self, "/children"));
    for (pid_t child = 0; list >> child;) children.push_back(child);
    return children;
  }

  static ZygoteAnswer Refusal(std::string_view text) {
    ZygoteAnswer answer;
    text.copy(answer.text, sizeof(answer.text) - 1);
    return answer;
  }

  const ZygotePlan& plan_;
  pid_t runner_ = -1;
};

}  // namespace

std::vector<std::string> ZygotePlan::ToArguments() const {
  std::vector<std::string> arguments;
  if (limits) arguments.emplace_back("limits");
  if (namespaces) arguments.emplace_back("namespaces");
  if (seccomp) arguments.emplace_back("seccomp");
  arguments.push_back(absl::StrCat(std::string(kMemory), memory_bytes));
  for (const std::string& group : groups) {
    arguments.push_back(absl::StrCat(std::string(kGroup), group));
  }
  return arguments;
}

absl::StatusOr<ZygotePlan> ZygotePlan::Parse(const std::vector<std::string>& arguments) {
  ZygotePlan plan;
  for (const std::string& argument : arguments) {
    if (argument == "limits") {
      plan.limits = true;
    } else if (argument == "namespaces") {
      plan.namespaces = true;
    } else if (argument == "seccomp") {
      plan.seccomp = true;
    } else if (argument.starts_with(kGroup)) {
      plan.groups.push_back(argument.substr(kGroup.size()));
    } else if (argument.starts_with(kMemory)) {
      plan.memory_bytes = ParseInteger(argument.substr(kMemory.size())).value_or(0);
    } else {
      return absl::InvalidArgumentError(argument);
    }
  }
  return plan;
}

int ServeZygote(const ZygotePlan& plan) {
  ::prctl(PR_SET_NAME, "burnish-zygote");
  ZygoteAnswer ready{.ok = 1};
  if (const absl::Status entered = Enter(plan); !entered.ok()) {
    ready.ok = 0;
    entered.message().copy(ready.text, sizeof(ready.text) - 1);
  }
  backends::BackendNames();  // makes them, so that no runner has to
  Zygote zygote(plan);
  ZygoteOrder order;
  ZygoteAnswer answer = ready;
  while (::send(kZygoteSocket, &answer, sizeof(answer), MSG_NOSIGNAL) == sizeof(answer)) {
    const auto descriptors = ReceiveWithDescriptors(kZygoteSocket, &order, sizeof(order));
    if (!descriptors.ok()) break;
    answer = zygote.Do(order, *descriptors);
  }
  return ready.ok ? 0 : 1;
}

}  // namespace burnish::worker
