#include "agent/worker/runner_process.h"

#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/worker/candidate_failure.h"
#include "agent/worker/runner.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"
#include "common/wire/frame.h"

namespace burnish::worker {
namespace {

namespace pb = burnish::v1;

// For the death of a runner whose socket is closed already.
constexpr absl::Duration kExitGrace = absl::Seconds(1);
constexpr size_t kVmstatBytes = 1 << 16;

// How many processes the kernel has ended for lack of memory since boot.
int64_t OomKills() {
  const auto vmstat = ReadFile("/proc/vmstat", kVmstatBytes);
  if (!vmstat.ok()) return 0;
  const std::vector<std::string> lines = absl::StrSplit(*vmstat, '\n');
  for (const std::string& line : lines) {
    constexpr std::string_view kKey = "oom_kill ";
    if (line.starts_with(kKey)) return ParseInteger(line.substr(kKey.size())).value_or(0);
  }
  return 0;
}

}  // namespace

absl::StatusOr<RunnerProcess> RunnerProcess::Start(int memory_fd, int cancel_fd) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::ErrnoToStatus(errno, "socketpair");
  }
  RunnerProcess runner;
  runner.socket_ = UniqueFd(ends[0]);
  const UniqueFd theirs(ends[1]);
  runner.cancel_fd_ = cancel_fd;
  runner.oom_kills_at_start_ = OomKills();
  SpawnOptions options;
  options.arguments = {"/proc/self/exe", "--role", "runner"};
  options.environment = {"LC_ALL=C"};
  options.descriptors = {{kRunnerSocket, theirs.get()}, {kRunnerMemory, memory_fd}};
  ASSIGN_OR_RETURN(runner.child_, ChildProcess::Spawn(options));
  return runner;
}

absl::Status RunnerProcess::Load(const pb::RunnerRequest::Load& load, absl::Duration time_limit) {
  time_limit_ = time_limit;
  deadline_ = SystemClock().Monotonic() + time_limit;
  pb::RunnerRequest request;
  *request.mutable_load() = load;
  return Ask(request).status();
}

absl::Status RunnerProcess::Prepare() {
  pb::RunnerRequest request;
  request.mutable_prepare();
  return Ask(request).status();
}

absl::StatusOr<int64_t> RunnerProcess::Run(int64_t launches, bool flush_caches) {
  pb::RunnerRequest request;
  request.mutable_run()->set_launches(launches);
  request.mutable_run()->set_flush_caches(flush_caches);
  const absl::Duration before = SystemClock().Monotonic();
  ASSIGN_OR_RETURN(const pb::RunnerReply reply, Ask(request));
  const int64_t waited_ns = absl::ToInt64Nanoseconds(SystemClock().Monotonic() - before);
  if (reply.elapsed_ns() < 0 || reply.elapsed_ns() > waited_ns) {
    return CandidateFailed(
        work::Outcome::kRejected,
        absl::StrCat("reported a time of ", reply.elapsed_ns(), " ns after ", waited_ns, " ns"));
  }
  return reply.elapsed_ns();
}

measure::TimeFrame RunnerProcess::time() const {
  return {.clock = SystemClock(), .deadline = deadline_};
}

absl::StatusOr<pb::RunnerReply> RunnerProcess::Ask(const pb::RunnerRequest& request) {
  if (!child_.running()) return absl::InternalError("the runner has ended");
  if (!wire::WriteFrame(socket_.get(), request).ok()) return Ended();
  pb::RunnerReply reply;
  const absl::Status read = wire::ReadFrame(socket_.get(), cancel_fd_, time().Left(), reply);
  if (absl::IsCancelled(read)) return read;
  if (absl::IsDeadlineExceeded(read)) {
    child_ = ChildProcess();
    return CandidateFailed(
        work::Outcome::kTimeout,
        absl::StrCat("took longer than its limit of ", absl::FormatDuration(time_limit_)));
  }
  if (absl::IsUnavailable(read)) return Ended();
  if (!read.ok()) {
    return CandidateFailed(work::Outcome::kRejected,
                           absl::StrCat("meddled with its runner: ", std::string(read.message())));
  }
  if (!reply.error().empty()) {
    return CandidateFailed(work::Outcome::kLaunchRefused, reply.error());
  }
  return reply;
}

absl::Status RunnerProcess::Ended() {
  auto status = child_.Wait(kExitGrace);
  if (!status) {
    child_ = ChildProcess();
    return CandidateFailed(work::Outcome::kRejected, "meddled with its runner: closed its socket");
  }
  if (status->signal == SIGKILL && OomKills() > oom_kills_at_start_) {
    return CandidateFailed(work::Outcome::kOutOfMemory, "ended by the system for lack of memory");
  }
  return CandidateFailed(work::Outcome::kCrash, absl::StrCat("ended by ", ToText(*status)));
}

}  // namespace burnish::worker
