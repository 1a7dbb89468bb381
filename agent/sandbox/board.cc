#include "agent/sandbox/board.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "common/base/diagnostic.h"
#include "common/base/environment.h"
#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/base/poll.h"
#include "common/base/status_macros.h"
#include "common/base/version.h"

namespace burnish::agent {
namespace {

// Until the board says something: a connection and a login.
constexpr absl::Duration kConnectTime = absl::Seconds(30);
// Until it has the worker: 10 MiB over a slow link.
constexpr absl::Duration kPushTime = absl::Minutes(5);
constexpr size_t kProgramBytes = size_t{1} << 30;
constexpr size_t kNameDigits = 12;
constexpr size_t kLineBytes = 4096;

// Starts the lines meant for us, so that what a login prints before them does no harm.
constexpr std::string_view kMark = "burnish-board: ";

constexpr std::string_view kUnfit = "does not run on the board";

// In one pair of braces, so that a shell reads all of it before it does any of it: what comes next
// on its standard input is not for the shell. A command that mixes standard error into standard
// output must not get the worker's words into its frames.
constexpr char kScript[] = R"sh({
umask 077
say() { printf '\nburnish-board: %s\n' "$*"; }
no() { say "no $(printf '%s' "$*" | tr '\n' ' ')"; exit 1; }
d=@FOLDER@ w=@WORKER@ bytes=@BYTES@ hash=@HASH@
whole() {
  [ -f "$1" ] && [ "$(wc -c <"$1")" -eq $bytes ] || return 1
  command -v sha256sum >/dev/null 2>&1 || return 0
  [ "$(sha256sum <"$1" | cut -c 1-64)" = $hash ]
}
[ -t 0 ] && no 'the command gives the worker a terminal; -T keeps ssh and adb from that'
[ /proc/self/fd/1 -ef /proc/self/fd/2 ] && exec 2>/dev/null
e=$(mkdir -p "$d/artefacts" "$d/references" 2>&1) || no "$e"
[ -O "$d" ] || no "$d belongs to another user; name another folder with --worker-folder"
if ! whole "$w" || [ ! -x "$w" ]; then
  for f in "$d"/new-worker-*; do kill -0 "${f##*-}" 2>/dev/null || rm -f "$f"; done
  t="$d/new-worker-$$"
  trap 'rm -f "$t"' EXIT
  say push
  e=$({ head -c $bytes >"$t"; } 2>&1) || no "$t: $e"
  whole "$t" || no "$t: burnish-worker arrived damaged"
  e=$(chmod 700 "$t" 2>&1) || no "$e"
  e=$("$t" --version 2>&1 </dev/null)
  [ "$e" = 'burnish-worker @VERSION@' ] || no "this burnish-worker does not run on the board ($(uname -sm)): $e"
  e=$(mv -f "$t" "$w" 2>&1) || no "$e"
  for f in "$d"/burnish-worker-*; do [ "$f" = "$w" ] || rm -f "$f"; done
fi
say ready
exec @ARGUMENTS@
}
)sh";

absl::Status Silent(absl::Duration limit) {
  return absl::UnavailableError(absl::StrCat("no answer within ", absl::FormatDuration(limit)));
}

absl::Status Gone() { return absl::UnavailableError("the link ended"); }

// Byte by byte: what follows the line may be a frame.
absl::StatusOr<std::string> ReadLine(int socket, absl::Duration deadline, absl::Duration limit) {
  std::string line;
  while (true) {
    pollfd poll{.fd = socket, .events = POLLIN, .revents = 0};
    if (!PollUntil({&poll, 1}, deadline)) return Silent(limit);
    char c;
    const ssize_t got = ::read(socket, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Gone();
    if (c == '\n') return line;
    if (line.size() < kLineBytes) line.push_back(c);
  }
}

// What the script says next.
absl::StatusOr<std::string> ReadWord(int socket, absl::Duration limit) {
  const absl::Duration deadline = DeadlineAfter(limit);
  while (true) {
    ASSIGN_OR_RETURN(const std::string line, ReadLine(socket, deadline, limit));
    if (line.starts_with(kMark)) {
      return std::string(absl::StripAsciiWhitespace(line.substr(kMark.size())));
    }
  }
}

absl::Status Write(int socket, std::string_view bytes, absl::Duration limit) {
  const absl::Duration deadline = DeadlineAfter(limit);
  while (!bytes.empty()) {
    pollfd poll{.fd = socket, .events = POLLOUT, .revents = 0};
    if (!PollUntil({&poll, 1}, deadline)) return Silent(limit);
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno != EINTR && errno != EAGAIN) {
      return Gone();
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::string ShellQuote(const std::string& word) {
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", R"('\'')"}}), "'");
}

absl::StatusOr<std::shared_ptr<const Board>> Board::Make(std::vector<std::string> prefix,
                                                         std::string folder,
                                                         const std::string& program) {
  const std::shared_ptr<Board> board(new Board);
  const std::optional<std::string> found = prefix[0].find('/') == std::string::npos
                                               ? FindProgram(prefix[0])
                                               : std::optional<std::string>(prefix[0]);
  if (!found || ::access(found->c_str(), X_OK) != 0) {
    return InvalidInput(absl::StrCat("--worker-prefix: there is no program ", prefix[0]),
                        "name one on PATH, or by its full path");
  }
  board->prefix_ = std::move(prefix);
  board->prefix_[0] = *found;
  board->folder_ = std::move(folder);
  absl::StatusOr<std::string> content = ReadFile(program, kProgramBytes);
  if (!content.ok()) {
    return InvalidInput(absl::StrCat("--worker-program: ", std::string(content.status().message())),
                        "name a burnish-worker that runs on the board");
  }
  board->program_ = *std::move(content);
  board->sha256_ = Sha256Hex(board->program_);
  return board;
}

std::vector<std::string> Board::Command() const {
  std::vector<std::string> command = prefix_;
  command.push_back("sh");
  return command;
}

std::string Board::ToText() const { return absl::StrJoin(prefix_, " "); }

std::string Board::worker_path() const {
  return absl::StrCat(folder_, "/burnish-worker-", sha256_.substr(0, kNameDigits));
}

std::string Board::Script(const std::vector<std::string>& arguments) const {
  return absl::StrReplaceAll(
      kScript,
      {{"@FOLDER@", ShellQuote(folder_)},
       {"@WORKER@", ShellQuote(worker_path())},
       {"@BYTES@", absl::StrCat(program_.size())},
       {"@HASH@", sha256_},
       {"@VERSION@", kVersion},
       {"@ARGUMENTS@", absl::StrJoin(arguments, " ", [](std::string* to, const auto& from) {
          to->append(ShellQuote(from));
        })}});
}

absl::Status Board::StartWorker(int socket, const std::vector<std::string>& arguments) const {
  RETURN_IF_ERROR(Write(socket, Script(arguments), kConnectTime));
  ASSIGN_OR_RETURN(std::string word, ReadWord(socket, kConnectTime));
  if (word == "push") {
    Log(LogLevel::kInfo, "worker_pushed",
        {{"board", ToText()}, {"path", worker_path()}, {"bytes", absl::StrCat(program_.size())}});
    // A board that cannot take it says why, and ends.
    const absl::Status sent = Write(socket, program_, kPushTime);
    absl::StatusOr<std::string> answer = ReadWord(socket, kPushTime);
    if (!answer.ok()) return sent.ok() ? answer.status() : sent;
    word = *std::move(answer);
  }
  if (word == "ready") return absl::OkStatus();
  if (word.starts_with("no ")) word.erase(0, 3);
  const bool unfit = word.find(kUnfit) != std::string::npos;
  return DiagnosticStatus(
      absl::StatusCode::kFailedPrecondition,
      {.message = absl::StrCat(ToText(), ": ", word),
       .hint = unfit ? absl::StrCat("build burnish-worker ", kVersion, " for the board's ",
                                    "architecture, statically (burnish-worker-static), and name ",
                                    "it with --worker-program")
                     : ""});
}

}  // namespace burnish::agent
