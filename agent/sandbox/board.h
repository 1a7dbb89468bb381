// A machine without an agent of its own, reached through a command: `ssh -T board` or `adb shell
// -T` followed by `sh` gives a shell there, on the command's standard input and output. To it this
// sends one script, which makes the folder, asks for burnish-worker unless that very program is
// there, and becomes the worker: from then on frames travel over the same two streams.
//
// The script goes over the stream, not into the command's words, because some commands give their
// words to a shell (ssh, adb) and some do not (docker exec), and no quoting is right for both.
//
// Immutable, so thread-safe. Workers may be started at the same time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace burnish::agent {

class Board {
 public:
  // `prefix` is the command's words; `folder` is an absolute path there; `program` is a file here,
  // a burnish-worker that runs there. InvalidArgument if one of the files is not what it should be.
  static absl::StatusOr<std::shared_ptr<const Board>> Make(std::vector<std::string> prefix,
                                                           std::string folder,
                                                           const std::string& program);

  // What to start here; its standard streams are the way to the board. [0] is a full path.
  std::vector<std::string> Command() const;
  // Speaks to what Command() started, by a socket to its standard input and output, until it is
  // this worker: its path there and its arguments. Unavailable if it ended or fell silent;
  // FailedPrecondition, a Diagnostic, if the board answered that it cannot be.
  absl::Status StartWorker(int socket, const std::vector<std::string>& arguments) const;

  // For error messages: the prefix as typed, more or less.
  std::string ToText() const;
  std::string artefact_folder() const { return folder_ + "/artefacts"; }
  std::string reference_folder() const { return folder_ + "/references"; }
  const std::string& folder() const { return folder_; }
  // Where the worker is put.
  std::string worker_path() const;

 private:
  Board() = default;
  std::string Script(const std::vector<std::string>& arguments) const;

  std::vector<std::string> prefix_;
  std::string folder_;
  std::string program_;  // the content of burnish-worker
  std::string sha256_;
};

// As one word for a POSIX shell.
std::string ShellQuote(const std::string& word);

}  // namespace burnish::agent
