#include "agent/worker/runner_pool.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/sandbox/isolation/candidate_limits.h"
#include "agent/worker/descriptor_passing.h"
#include "common/base/file.h"
#include "common/base/numbers.h"
#include "common/base/poll.h"
#include "common/base/status_macros.h"

namespace burnish::worker {
namespace {

// Of a loaded machine; setting up takes a hundredth of it.
constexpr absl::Duration kPatience = absl::Seconds(20);
constexpr absl::Duration kEndPatience = absl::Seconds(5);
constexpr absl::Duration kUnwindTime = absl::Seconds(1);
// A candidate and a reference at once; a comparison's many are seldom needed.
constexpr size_t kMaxIdle = 2;
constexpr size_t kVmstatBytes = 1 << 16;

// How many processes of this machine the kernel has ended for lack of memory since boot.
int64_t OomKillsOfMachine() {
  const auto vmstat = ReadFile("/proc/vmstat", kVmstatBytes);
  if (!vmstat.ok()) return 0;
  const std::vector<std::string> lines = absl::StrSplit(*vmstat, '\n');
  for (const std::string& line : lines) {
    constexpr std::string_view kKey = "oom_kill ";
    if (line.starts_with(kKey)) return ParseInteger(line.substr(kKey.size())).value_or(0);
  }
  return 0;
}

ExitStatus FromWaitStatus(int status) {
  if (WIFSIGNALED(status)) return {.code = 0, .signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status), .signal = 0};
}

}  // namespace

absl::StatusOr<std::unique_ptr<ZygoteProcess>> ZygoteProcess::Start(const isolation::Found& found,
                                                                    int number) {
  std::unique_ptr<ZygoteProcess> zygote(new ZygoteProcess);
  ZygotePlan plan{.limits = found.isolation.limits,
                  .namespaces = found.isolation.namespaces,
                  .seccomp = found.isolation.seccomp,
                  .memory_bytes = found.memory_bytes};
  if (found.cgroups) {
    ASSIGN_OR_RETURN(isolation::Cgroup group,
                     isolation::Cgroup::Make(
                         *found.cgroups, number,
                         {.memory_bytes = found.memory_bytes, .tasks = isolation::MaxTasks()}));
    zygote->group_.emplace(std::move(group));
    plan.groups = zygote->group_->folders();
  }
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::ErrnoToStatus(errno, "socketpair");
  }
  zygote->socket_ = UniqueFd(ends[0]);
  const UniqueFd theirs(ends[1]);
  SpawnOptions options;
  options.arguments = {"/proc/self/exe", "--role", "zygote"};
  for (std::string& word : plan.ToArguments()) options.arguments.push_back(std::move(word));
  options.environment = {"LC_ALL=C"};
  options.descriptors = {{kZygoteSocket, theirs.get()}};
  ASSIGN_OR_RETURN(zygote->child_, ChildProcess::Spawn(options));
  RETURN_IF_ERROR(zygote->Receive(kPatience).status());
  return zygote;
}

ZygoteProcess::~ZygoteProcess() {
  // It ends by itself when its socket is closed, and the last of its processes before it.
  socket_.Reset();
  if (child_.running()) child_.Wait(kUnwindTime);
  child_ = ChildProcess();
}

absl::Status ZygoteProcess::Launch(std::span<const int> descriptors) {
  oom_kills_at_launch_ = OomKills();
  const ZygoteOrder order{.kind = ZygoteOrder::kLaunch};
  RETURN_IF_ERROR(SendWithDescriptors(socket_.get(), &order, sizeof(order), descriptors));
  return Receive(kPatience).status();
}

absl::StatusOr<RunnerEnd> ZygoteProcess::End(absl::Duration grace) {
  const ZygoteOrder order{.kind = ZygoteOrder::kEnd,
                          .grace_ms = static_cast<int32_t>(absl::ToInt64Milliseconds(grace))};
  RETURN_IF_ERROR(SendWithDescriptors(socket_.get(), &order, sizeof(order), {}));
  ASSIGN_OR_RETURN(const ZygoteAnswer answer, Receive(grace + kEndPatience));
  return RunnerEnd{.status = FromWaitStatus(answer.wait_status),
                   .by_itself = answer.ended_by_itself != 0,
                   .out_of_memory = OomKills() > oom_kills_at_launch_};
}

absl::StatusOr<ZygoteAnswer> ZygoteProcess::Receive(absl::Duration patience) {
  pollfd poll{.fd = socket_.get(), .events = POLLIN, .revents = 0};
  if (!PollUntil({&poll, 1}, DeadlineAfter(patience))) {
    return absl::DeadlineExceededError("the sandbox does not answer");
  }
  ZygoteAnswer answer;
  const auto received = ReceiveWithDescriptors(socket_.get(), &answer, sizeof(answer));
  if (!received.ok()) return absl::UnavailableError("the sandbox has ended");
  if (answer.ok) return answer;
  answer.text[sizeof(answer.text) - 1] = '\0';
  return absl::UnavailableError(absl::StrCat("the sandbox: ", answer.text));
}

int64_t ZygoteProcess::OomKills() const {
  return group_ ? group_->OomKills() : OomKillsOfMachine();
}

absl::StatusOr<std::unique_ptr<ZygoteProcess>> RunnerPool::Take() {
  if (idle_.empty()) return ZygoteProcess::Start(found_, ++started_);
  std::unique_ptr<ZygoteProcess> zygote = std::move(idle_.back());
  idle_.pop_back();
  return zygote;
}

void RunnerPool::Return(std::unique_ptr<ZygoteProcess> zygote) {
  const bool clean = found_.isolation.seccomp || !found_.isolation.limits;
  if (clean && idle_.size() < kMaxIdle) idle_.push_back(std::move(zygote));
}

}  // namespace burnish::worker
