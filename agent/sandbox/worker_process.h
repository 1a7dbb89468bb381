// One burnish-worker process and the frames exchanged with it over its standard input and output.
//
// It is started at first use, and again after it died, hung, broke the protocol or was stopped. To
// end it, the connection is hung up, on which it takes down its children, and soon after it is
// killed. Use it from one thread, which must live as long as this object: a worker ends with the
// thread that started it.
//
// A worker on a board is reached through a command (board.h), which ends when the link drops. The
// worker there notices the end of its input, as if it had been hung up on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/sandbox/board.h"
#include "agent/sandbox/error_tail.h"
#include "agent/sandbox/worker_channel.h"
#include "burnish/v1/worker.pb.h"
#include "common/base/subprocess.h"
#include "common/base/unique_fd.h"
#include "common/spec/isolation_level.h"
#include "common/telemetry/metrics.h"

namespace burnish::agent {

struct WorkerCommand {
  std::vector<std::string> arguments;    // [0] is the program's full path
  std::vector<std::string> environment;  // NAME=VALUE, all the worker gets; a board gives its own
  telemetry::Counter lost;               // workers that ended when nobody told them to
  std::shared_ptr<const Board> board;    // that it runs on; null: this machine
  // Before what was lost with the link is asked again; doubled each time.
  absl::Duration retry_interval = absl::Milliseconds(500);
};

// Here, burnish-worker beside this executable, with the few variables that a compiler needs.
WorkerCommand DefaultWorkerCommand(WorkerRole role, std::shared_ptr<const Board> board = nullptr);

// How the workers of this host and user, or of the board, keep candidates apart: the description,
// its level first, and what kept it from being stronger. Waits for a board that cannot be reached.
struct WorkerIsolation {
  std::string description;
  std::vector<std::string> missing;
};
absl::StatusOr<WorkerIsolation> AskIsolation(spec::IsolationLevel ceiling,
                                             const std::shared_ptr<const Board>& board,
                                             const std::stop_token& stop);

class WorkerProcess {
 public:
  explicit WorkerProcess(WorkerCommand command);
  ~WorkerProcess();

  // Sends the request under an id of its own and waits for the reply to it. Cancelled once `stop`
  // is requested (from any thread), DeadlineExceeded after `timeout`, Unavailable if the worker
  // died (says how), Internal if it spoke nonsense, FailedPrecondition if the board cannot have it.
  //
  // What a board's worker died of is asked again, a few times and within `timeout`, of another one:
  // mostly it is the link that dropped. Bringing a worker to a board takes no part in `timeout`.
  absl::StatusOr<v1::WorkerReply> Exchange(v1::WorkerRequest request, absl::Duration timeout,
                                           const std::stop_token& stop);
  // Of a worker that takes no requests: what it says until it ends well. Errors as above.
  absl::StatusOr<std::string> Output(absl::Duration timeout, const std::stop_token& stop);

  bool running() const { return child_.running(); }

 private:
  // How it ended, and what it said last on standard error, if that was looked at.
  struct Ending {
    ExitStatus status;
    std::string text;
  };

  absl::StatusOr<v1::WorkerReply> ExchangeOnce(const v1::WorkerRequest& request,
                                               absl::Duration timeout, const std::stop_token& stop);
  absl::Status Start(const std::stop_token& stop);
  absl::Status Spawn();
  absl::Status ExchangeFrames(const v1::WorkerRequest& request, absl::Duration timeout,
                              v1::WorkerReply& reply);
  // Ends the worker, counts and logs it as lost.
  absl::Status Lose(absl::Status reason);
  Ending End();

  const WorkerCommand command_;
  ChildProcess child_;
  UniqueFd socket_;
  std::optional<ErrorTail> errors_;  // of a command that reaches a board
  uint64_t last_id_ = 0;
};

}  // namespace burnish::agent
