#include "common/base/shutdown_signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/base/check.h"
#include "common/base/poll.h"

namespace burnish {

ShutdownSignals::ShutdownSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  CHECK(pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0);
  CHECK(::signal(SIGPIPE, SIG_IGN) != SIG_ERR);
  fd_ = UniqueFd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  CHECK(fd_.valid()) << "signalfd: " << std::strerror(errno);
}

std::optional<int> ShutdownSignals::Wait(absl::Duration timeout) {
  pollfd poll{.fd = fd_.get(), .events = POLLIN, .revents = 0};
  if (!PollUntil({&poll, 1}, DeadlineAfter(timeout))) return std::nullopt;
  signalfd_siginfo info;
  if (::read(fd_.get(), &info, sizeof(info)) != sizeof(info)) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

}  // namespace burnish
