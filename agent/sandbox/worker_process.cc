#include "agent/sandbox/worker_process.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/environment.h"
#include "common/base/log.h"
#include "common/base/poll.h"
#include "common/base/status_macros.h"
#include "common/wire/frame.h"

namespace burnish::agent {
namespace {

// A worker that was hung up on ends its children and itself within a second.
constexpr absl::Duration kUnwindTime = absl::Milliseconds(1200);

constexpr absl::Duration kProbeTime = absl::Seconds(30);
constexpr size_t kOutputBytes = 1 << 14;

constexpr int kRetries = 5;
// Between two looks for a board that is away.
constexpr absl::Duration kFirstWait = absl::Seconds(1);
constexpr absl::Duration kLongestWait = absl::Seconds(30);

// Of a shell: the program cannot be run, or is not there.
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;

// Whatever else is set stays outside: candidates run below the worker.
constexpr const char* kPassedVariables[] = {
    "PATH",           "BURNISH_CXX", "BURNISH_COMPILE_CACHE", "CCACHE_DIR", "CCACHE_CONFIGPATH",
    "XDG_CACHE_HOME", "HOME",
};

// False once stopped.
bool WaitUnlessStopped(absl::Duration time, const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never;
  never.wait_for(lock, stop, absl::ToChronoNanoseconds(time), [] { return false; });
  return !stop.stop_requested();
}

absl::StatusOr<std::string> ReadToEnd(int fd, absl::Duration timeout) {
  const absl::Duration deadline = DeadlineAfter(timeout);
  std::string output;
  while (output.size() < kOutputBytes) {
    pollfd poll{.fd = fd, .events = POLLIN, .revents = 0};
    if (!PollUntil({&poll, 1}, deadline)) {
      return absl::DeadlineExceededError(
          absl::StrCat("no answer within ", absl::FormatDuration(timeout)));
    }
    char bytes[1024];
    const ssize_t got = ::read(fd, bytes, sizeof(bytes));
    if (got == 0 || (got < 0 && errno != EINTR)) break;
    output.append(bytes, static_cast<size_t>(std::max<ssize_t>(got, 0)));
  }
  return output;
}

}  // namespace

WorkerCommand DefaultWorkerCommand(WorkerRole role, std::shared_ptr<const Board> board) {
  WorkerCommand command;
  command.arguments = {
      board != nullptr ? board->worker_path() : ExecutableFolder() + "/burnish-worker", "--role",
      role == WorkerRole::kBuild ? "build" : "run"};
  for (const char* name : kPassedVariables) {
    if (const std::optional<std::string> value = EnvironmentVariable(name)) {
      command.environment.push_back(absl::StrCat(name, "=", *value));
    }
  }
  command.board = std::move(board);
  return command;
}

absl::StatusOr<WorkerIsolation> AskIsolation(spec::IsolationLevel ceiling,
                                             const std::shared_ptr<const Board>& board,
                                             const std::stop_token& stop) {
  WorkerCommand command = DefaultWorkerCommand(WorkerRole::kRun, board);
  command.arguments = {command.arguments[0], "--role", "probe", "--isolation-ceiling",
                       spec::IsolationLevelName(ceiling)};
  command.environment = {"LC_ALL=C"};
  WorkerProcess worker(command);
  absl::StatusOr<std::string> output = worker.Output(kProbeTime, stop);
  for (absl::Duration wait = kFirstWait;
       board != nullptr &&
       (absl::IsUnavailable(output.status()) || absl::IsDeadlineExceeded(output.status()));
       wait = std::min(2 * wait, kLongestWait)) {
    Log(LogLevel::kWarning, "board_unreachable",
        {{"reason", std::string(output.status().message())},
         {"next_try_in", absl::FormatDuration(wait)}});
    if (!WaitUnlessStopped(wait, stop)) return absl::CancelledError("stopped");
    output = worker.Output(kProbeTime, stop);
  }
  RETURN_IF_ERROR(output.status());
  std::vector<std::string> lines = absl::StrSplit(*output, '\n', absl::SkipEmpty());
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
  const absl::Duration deadline = DeadlineAfter(timeout);
  absl::Duration wait = command_.retry_interval;
  for (int left = command_.board == nullptr ? 0 : kRetries;; --left, wait *= 2) {
    request.set_id(++last_id_);
    absl::StatusOr<v1::WorkerReply> reply = ExchangeOnce(request, timeout, stop);
    if (!absl::IsUnavailable(reply.status()) || left == 0 ||
        SystemClock().Monotonic() + wait >= deadline) {
      return reply;
    }
    if (!WaitUnlessStopped(wait, stop)) return absl::CancelledError("the worker was stopped");
  }
}

absl::StatusOr<v1::WorkerReply> WorkerProcess::ExchangeOnce(const v1::WorkerRequest& request,
                                                            absl::Duration timeout,
                                                            const std::stop_token& stop) {
  if (stop.stop_requested()) return absl::CancelledError("stopped before the worker was asked");
  absl::Status status;
  if (!child_.running()) status = Start(stop);
  if (!status.ok()) {
    if (command_.board != nullptr && !absl::IsCancelled(status)) {
      Log(LogLevel::kWarning,
          absl::IsUnavailable(status) ? "board_unreachable" : "board_refused_worker",
          {{"reason", std::string(status.message())}});
    }
    return status;
  }
  v1::WorkerReply reply;
  {
    const std::stop_callback hang_up(stop, [this] { ::shutdown(socket_.get(), SHUT_RDWR); });
    status = ExchangeFrames(request, timeout, reply);
  }
  const bool stopped = stop.stop_requested();
  if (status.ok() && !stopped) return reply;
  // A worker that failed once is in no known state: the next request gets a fresh one.
  if (!stopped) return Lose(status);
  End();
  return absl::CancelledError("the worker was stopped");
}

absl::StatusOr<std::string> WorkerProcess::Output(absl::Duration timeout,
                                                  const std::stop_token& stop) {
  RETURN_IF_ERROR(Start(stop));
  absl::StatusOr<std::string> output;
  {
    const std::stop_callback hang_up(stop, [this] { ::shutdown(socket_.get(), SHUT_RDWR); });
    output = ReadToEnd(socket_.get(), timeout);
  }
  const Ending ending = End();
  if (stop.stop_requested()) return absl::CancelledError("the worker was stopped");
  if (output.ok() && !ending.status.ok()) {
    return absl::UnavailableError(absl::StrCat("the worker died: ", ending.text));
  }
  return output;
}

absl::Status WorkerProcess::Start(const std::stop_token& stop) {
  RETURN_IF_ERROR(Spawn());
  if (command_.board == nullptr) return absl::OkStatus();
  absl::Status status;
  {
    const std::stop_callback hang_up(stop, [this] { ::shutdown(socket_.get(), SHUT_RDWR); });
    status = command_.board->StartWorker(socket_.get(), command_.arguments);
  }
  if (status.ok()) return status;
  const Ending ending = End();
  if (stop.stop_requested()) return absl::CancelledError("the worker was stopped");
  if (!absl::IsUnavailable(status)) return status;
  if (ending.status.code == kCannotRun || ending.status.code == kNotFound) {
    return DiagnosticStatus(absl::StatusCode::kFailedPrecondition,
                            {.message = ending.text,
                             .hint = "--worker-prefix is a command that runs others on the board, "
                                     "such as \"ssh -T board\""});
  }
  return absl::UnavailableError(absl::StrCat(std::string(status.message()), ": ", ending.text));
}

absl::Status WorkerProcess::Spawn() {
  int ends[2];
  // A socket rather than two pipes: any thread may hang up on it while this one is using it.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make a socket for the worker");
  }
  socket_ = UniqueFd(ends[0]);
  const UniqueFd theirs(ends[1]);
  SpawnOptions options;
  int errors = STDERR_FILENO;
  if (command_.board == nullptr) {
    options.arguments = command_.arguments;
    options.environment = command_.environment;
  } else {
    // Without a terminal to ask for a password on.
    options.arguments = command_.board->Command();
    options.new_session = true;
    errors = errors_.emplace().writer().get();
  }
  options.descriptors = {
      {STDIN_FILENO, theirs.get()}, {STDOUT_FILENO, theirs.get()}, {STDERR_FILENO, errors}};
  ASSIGN_OR_RETURN(child_, ChildProcess::Spawn(options));
  if (errors_) errors_->writer().Reset();
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

absl::Status WorkerProcess::Lose(absl::Status reason) {
  const Ending ending = End();
  const std::string message =
      absl::IsUnavailable(reason)
          ? absl::StrCat("the worker died: ", ending.text)
          : absl::StrCat("the worker was killed: ", std::string(reason.message()));
  Log(LogLevel::kWarning, "worker_lost", {{"reason", message}});
  command_.lost.Add();
  return absl::Status(reason.code(), message);
}

WorkerProcess::Ending WorkerProcess::End() {
  socket_.Reset();
  std::optional<ExitStatus> exit = child_.Wait(kUnwindTime);
  if (!exit) {
    child_.Kill();
    exit = child_.Wait(absl::InfiniteDuration());
  }
  if (!errors_) return {*exit, ToText(*exit)};
  const std::string said = errors_->Finish();
  errors_.reset();
  return {*exit, absl::StrCat(command_.board->ToText(), ": ", ToText(*exit),
                              said.empty() ? "" : ": ", said)};
}

}  // namespace burnish::agent
