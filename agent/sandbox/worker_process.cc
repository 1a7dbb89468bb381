#include "agent/sandbox/worker_process.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/environment.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "common/wire/frame.h"

namespace burnish::agent {
namespace {

// A worker that was hung up on ends its children and itself within a second.
constexpr absl::Duration kUnwindTime = absl::Milliseconds(1200);

constexpr absl::Duration kProbeTime = absl::Seconds(30);
constexpr size_t kProbeBytes = 1 << 14;

// Whatever else is set stays outside: candidates run below the worker.
constexpr const char* kPassedVariables[] = {
    "PATH",           "BURNISH_CXX", "BURNISH_COMPILE_CACHE", "CCACHE_DIR", "CCACHE_CONFIGPATH",
    "XDG_CACHE_HOME", "HOME",
};

}  // namespace

WorkerCommand DefaultWorkerCommand(WorkerRole role) {
  WorkerCommand command;
  command.arguments = {ExecutableFolder() + "/burnish-worker", "--role",
                       role == WorkerRole::kBuild ? "build" : "run"};
  for (const char* name : kPassedVariables) {
    if (const std::optional<std::string> value = EnvironmentVariable(name)) {
      command.environment.push_back(absl::StrCat(name, "=", *value));
    }
  }
  return command;
}

absl::StatusOr<WorkerIsolation> AskIsolation(spec::IsolationLevel ceiling) {
  SpawnOptions options;
  options.arguments = {ExecutableFolder() + "/burnish-worker", "--role", "probe",
                       "--isolation-ceiling", spec::IsolationLevelName(ceiling)};
  options.environment = {"LC_ALL=C"};
  ASSIGN_OR_RETURN(const CapturedRun run, RunCaptured(options, kProbeTime, kProbeBytes));
  if (!run.status.ok()) {
    return absl::UnavailableError(
        absl::StrCat("burnish-worker --role probe: ", ToText(run.status), ": ", run.output));
  }
  std::vector<std::string> lines = absl::StrSplit(run.output, '\n', absl::SkipEmpty());
  if (lines.empty()) return absl::InternalError("burnish-worker --role probe says nothing");
  WorkerIsolation isolation{.description = lines[0], .missing = {}};
  isolation.missing.assign(lines.begin() + 1, lines.end());
  return isolation;
}

WorkerProcess::WorkerProcess(WorkerCommand command) : command_(std::move(command)) {}

WorkerProcess::~WorkerProcess() {
  if (child_.running()) End();
}

absl::StatusOr<v1::WorkerReply> WorkerProcess::Exchange(v1::WorkerRequest request,
                                                        absl::Duration timeout,
                                                        const std::stop_token& stop) {
  if (stop.stop_requested()) return absl::CancelledError("stopped before the worker was asked");
  if (!child_.running()) RETURN_IF_ERROR(Start());
  request.set_id(++last_id_);
  v1::WorkerReply reply;
  absl::Status status;
  {
    const std::stop_callback hang_up(stop, [this] { ::shutdown(socket_.get(), SHUT_RDWR); });
    status = ExchangeFrames(request, timeout, reply);
  }
  const bool stopped = stop.stop_requested();
  if (status.ok() && !stopped) return reply;

  // A worker that failed once is in no known state: the next request gets a fresh one.
  const std::string ending = End();
  if (stopped) return absl::CancelledError("the worker was stopped");
  const std::string message =
      absl::IsUnavailable(status)
          ? absl::StrCat("the worker died: ", ending)
          : absl::StrCat("the worker was killed: ", std::string(status.message()));
  Log(LogLevel::kWarning, "worker_lost", {{"reason", message}});
  command_.lost.Add();
  return absl::Status(status.code(), message);
}

absl::Status WorkerProcess::Start() {
  int ends[2];
  // A socket rather than two pipes: any thread may hang up on it while this one is using it.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make a socket for the worker");
  }
  socket_ = UniqueFd(ends[0]);
  const UniqueFd theirs(ends[1]);
  SpawnOptions options;
  options.arguments = command_.arguments;
  options.environment = command_.environment;
  options.descriptors = {
      {STDIN_FILENO, theirs.get()}, {STDOUT_FILENO, theirs.get()}, {STDERR_FILENO, STDERR_FILENO}};
  ASSIGN_OR_RETURN(child_, ChildProcess::Spawn(options));
  return absl::OkStatus();
}

absl::Status WorkerProcess::ExchangeFrames(const v1::WorkerRequest& request, absl::Duration timeout,
                                           v1::WorkerReply& reply) {
  RETURN_IF_ERROR(wire::WriteFrame(socket_.get(), request));
  const absl::Status status = wire::ReadFrame(socket_.get(), timeout, reply);
  if (absl::IsInvalidArgument(status)) return absl::InternalError(status.message());
  if (absl::IsDeadlineExceeded(status)) {
    return absl::DeadlineExceededError(
        absl::StrCat("no answer within ", absl::FormatDuration(timeout)));
  }
  RETURN_IF_ERROR(status);
  if (reply.id() != request.id()) {
    return absl::InternalError(
        absl::StrCat("it answered request ", reply.id(), " instead of ", request.id()));
  }
  return absl::OkStatus();
}

std::string WorkerProcess::End() {
  socket_.Reset();
  std::optional<ExitStatus> exit = child_.Wait(kUnwindTime);
  if (!exit) {
    child_.Kill();
    exit = child_.Wait(absl::InfiniteDuration());
  }
  return ToText(*exit);
}

}  // namespace burnish::agent
