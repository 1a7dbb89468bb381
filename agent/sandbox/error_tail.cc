#include "agent/sandbox/error_tail.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/check.h"
#include "common/base/poll.h"

namespace burnish::agent {
namespace {

constexpr size_t kKeptBytes = 1024;
constexpr int kLastReads = 64;  // of one who never stops writing

}  // namespace

ErrorTail::ErrorTail() : quit_(::eventfd(0, EFD_CLOEXEC)) {
  int ends[2];
  CHECK(::pipe2(ends, O_CLOEXEC) == 0 && quit_.valid());
  reader_ = UniqueFd(ends[0]);
  writer_ = UniqueFd(ends[1]);
  CHECK(::fcntl(reader_.get(), F_SETFL, O_NONBLOCK) == 0);
  thread_ = std::thread([this] { Read(); });
}

ErrorTail::~ErrorTail() { Finish(); }

std::string ErrorTail::Finish() {
  writer_.Reset();
  if (thread_.joinable()) {
    CHECK(::eventfd_write(quit_.get(), 1) == 0);
    thread_.join();
  }
  const std::vector<std::string> lines =
      absl::StrSplit(text_, absl::ByAnyChar("\r\n"), absl::SkipWhitespace());
  return absl::StrJoin(lines, "; ");
}

void ErrorTail::Read() {
  for (int left = kLastReads; left > 0;) {
    pollfd polls[] = {{.fd = reader_.get(), .events = POLLIN, .revents = 0},
                      {.fd = quit_.get(), .events = POLLIN, .revents = 0}};
    PollUntil(polls, absl::InfiniteDuration());
    if (polls[1].revents != 0) --left;
    char bytes[kKeptBytes];
    const ssize_t got = ::read(reader_.get(), bytes, sizeof(bytes));
    if (got > 0) {
      // Nobody is told if our own standard error is closed.
      [[maybe_unused]] const ssize_t passed =
          ::write(STDERR_FILENO, bytes, static_cast<size_t>(got));
      text_.append(bytes, static_cast<size_t>(got));
      if (text_.size() > kKeptBytes) text_.erase(0, text_.size() - kKeptBytes);
    } else if (got == 0 || polls[1].revents != 0 || (errno != EINTR && errno != EAGAIN)) {
      return;
    }
  }
}

}  // namespace burnish::agent
