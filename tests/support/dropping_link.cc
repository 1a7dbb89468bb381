// A way to a board that drops, for tests: like ssh, it gives its words, joined by blanks, to a
// shell on the other side (here: this machine, in a session of its own) and passes on what both
// say.
//
//   burnish_dropping_link FOLDER WORD...
//
// Files in the folder make it fail, each once: it removes the one that it has obeyed. `refuse-1` to
// `refuse-9`: there is no connection. `drop-up` and `drop-down`: half of the next bytes to or from
// the board get through, then it is gone, and leaves the other side to notice.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/file.h"
#include "common/base/poll.h"
#include "common/base/subprocess.h"

namespace burnish::tests {
namespace {

constexpr int kNoConnection = 255;  // as ssh ends

class DroppingLink {
 public:
  explicit DroppingLink(std::string folder) : folder_(std::move(folder)) {}

  int Run(const std::string& line) {
    for (int i = 1; i <= 9; ++i) {
      if (Obeys(absl::StrCat("refuse-", i))) {
        std::fputs("connect to host board: No route to host\n", stderr);
        return kNoConnection;
      }
    }
    int up[2];
    int down[2];
    CHECK(::pipe2(up, O_CLOEXEC) == 0 && ::pipe2(down, O_CLOEXEC) == 0);
    SpawnOptions options;
    options.arguments = {"/bin/sh", "-c", line};
    options.descriptors = {{0, up[0]}, {1, down[1]}, {2, 2}};
    options.new_session = true;
    ChildProcess board = ChildProcess::Spawn(options).value();
    ::close(up[0]);
    ::close(down[1]);
    Pump(up[1], down[0]);
    const ExitStatus ended = *board.Wait(absl::InfiniteDuration());
    return ended.signal == 0 ? ended.code : kNoConnection;
  }

 private:
  bool Obeys(const std::string& file) const {
    return ::unlink(absl::StrCat(folder_, "/", file).c_str()) == 0;
  }

  // False at the end of what is to be passed on.
  bool Pass(int from, int to, const std::string& drop) const {
    char bytes[1 << 16];
    const ssize_t got = ::read(from, bytes, sizeof(bytes));
    if (got <= 0) return false;
    const bool drops = Obeys(drop);
    const std::string_view all(bytes, static_cast<size_t>(got));
    const absl::Status written = WriteAll(to, "link", drops ? all.substr(0, got / 2) : all);
    if (drops) ::_exit(kNoConnection);
    return written.ok();
  }

  // Until the board has said all.
  void Pump(int up, int down) const {
    pollfd polls[] = {{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                      {.fd = down, .events = POLLIN, .revents = 0}};
    while (true) {
      PollUntil(polls, absl::InfiniteDuration());
      if (polls[0].revents != 0 && !Pass(STDIN_FILENO, up, "drop-up")) {
        ::close(up);
        polls[0].fd = -1;
        polls[0].revents = 0;
      }
      if (polls[1].revents != 0 && !Pass(down, STDOUT_FILENO, "drop-down")) return;
    }
  }

  const std::string folder_;
};

}  // namespace
}  // namespace burnish::tests

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return burnish::tests::DroppingLink(argv[1]).Run(absl::StrJoin(argv + 2, argv + argc, " "));
}
