#include "server/private/child_agent.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/poll.h"
#include "common/net/retry.h"

namespace burnish::server {
namespace {

// An agent that lived this long was healthy: its end is no reason to wait longer than at first.
constexpr absl::Duration kHealthyLife = absl::Minutes(1);

}  // namespace

ChildAgent::ChildAgent(ChildAgentOptions options)
    : options_(std::move(options)), stop_event_(::eventfd(0, EFD_CLOEXEC)) {
  CHECK(stop_event_.valid());
}

ChildAgent::~ChildAgent() { Stop(); }

void ChildAgent::EnsureStarted() {
  absl::MutexLock lock(&mutex_);
  if (stopped_ || supervisor_.joinable()) return;
  supervisor_ = std::thread([this] { Supervise(); });
}

void ChildAgent::Stop() {
  std::thread supervisor;
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
    supervisor = std::move(supervisor_);
  }
  const uint64_t one = 1;
  CHECK(::write(stop_event_.get(), &one, sizeof(one)) == sizeof(one));
  if (supervisor.joinable()) supervisor.join();
}

void ChildAgent::Supervise() {
  net::Backoff backoff({.first = options_.shortest_wait, .longest = options_.longest_wait},
                       static_cast<uint64_t>(::getpid()));
  ::unlink(options_.log_path.c_str());
  while (true) {
    const absl::Duration started = SystemClock().Monotonic();
    if (!RunOnce()) return;
    if (SystemClock().Monotonic() - started > kHealthyLife) backoff.Reset();
    if (StopWithin(backoff.Next())) return;
  }
}

bool ChildAgent::RunOnce() {
  UniqueFd keep_alive;
  absl::StatusOr<ChildProcess> agent = Start(keep_alive);
  if (!agent.ok()) {
    Log(LogLevel::kError, "agent_start_failed", {{"status", agent.status().ToString()}});
    return true;
  }
  Log(LogLevel::kInfo, "agent_started", {{"pid", absl::StrCat(agent->pid())}});
  pollfd events[] = {{.fd = stop_event_.get(), .events = POLLIN, .revents = 0},
                     {.fd = agent->exit_fd(), .events = POLLIN, .revents = 0}};
  PollUntil(events, absl::InfiniteDuration());
  if (events[0].revents == 0) {
    const std::optional<ExitStatus> ended = agent->Wait(absl::InfiniteDuration());
    Log(LogLevel::kWarning, "agent_ended", {{"how", ended.has_value() ? ToText(*ended) : "?"}});
    return true;
  }
  keep_alive.Reset();
  if (!agent->Wait(options_.patience).has_value()) {
    Log(LogLevel::kWarning, "agent_killed", {{"pid", absl::StrCat(agent->pid())}});
    agent->Kill();
    agent->Wait(absl::InfiniteDuration());
  }
  return false;
}

bool ChildAgent::StopWithin(absl::Duration timeout) {
  pollfd events[] = {{.fd = stop_event_.get(), .events = POLLIN, .revents = 0}};
  return PollUntil(events, DeadlineAfter(timeout));
}

absl::StatusOr<ChildProcess> ChildAgent::Start(UniqueFd& keep_alive) const {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "cannot make a pipe");
  const UniqueFd agent_end(ends[0]);
  keep_alive = UniqueFd(ends[1]);
  const UniqueFd log(
      ::open(options_.log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.valid()) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", options_.log_path));
  }
  SpawnOptions spawn;
  spawn.arguments = {options_.program,        "--server",
                     options_.server_address, "--state-dir",
                     options_.state_folder,   "--until-stdin-closes",
                     "--log-format",          "text"};
  spawn.descriptors = {{STDIN_FILENO, agent_end.get()}, {STDERR_FILENO, log.get()}};
  return ChildProcess::Spawn(spawn);
}

}  // namespace burnish::server
