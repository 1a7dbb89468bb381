// One burnish-worker process and the frames exchanged with it over its standard input and output.
//
// It is started at first use, and again after it died, hung, broke the protocol or was stopped. To
// end it, the connection is hung up, on which it takes down its children, and soon after it is
// killed. Use it from one thread, which must live as long as this object: a worker ends with the
// thread that started it.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/sandbox/worker_channel.h"
#include "burnish/v1/worker.pb.h"
#include "common/base/subprocess.h"
#include "common/base/unique_fd.h"
#include "common/spec/isolation_level.h"
#include "common/telemetry/metrics.h"

namespace burnish::agent {

struct WorkerCommand {
  std::vector<std::string> arguments;    // [0] is the program's full path
  std::vector<std::string> environment;  // NAME=VALUE, all the worker gets
  telemetry::Counter lost;               // workers that ended when nobody told them to
};

// burnish-worker beside this executable, with the few variables that a compiler needs.
WorkerCommand DefaultWorkerCommand(WorkerRole role);

// How the workers of this host and user keep candidates apart: the description, its level first,
// and what kept it from being stronger.
struct WorkerIsolation {
  std::string description;
  std::vector<std::string> missing;
};
absl::StatusOr<WorkerIsolation> AskIsolation(spec::IsolationLevel ceiling);

class WorkerProcess {
 public:
  explicit WorkerProcess(WorkerCommand command);
  ~WorkerProcess();

  // Sends the request under an id of its own and waits for the reply to it. Cancelled once `stop`
  // is requested (from any thread), DeadlineExceeded after `timeout`, Unavailable if the worker
  // died (says how), Internal if it spoke nonsense.
  absl::StatusOr<v1::WorkerReply> Exchange(v1::WorkerRequest request, absl::Duration timeout,
                                           const std::stop_token& stop);

  bool running() const { return child_.running(); }

 private:
  absl::Status Start();
  absl::Status ExchangeFrames(const v1::WorkerRequest& request, absl::Duration timeout,
                              v1::WorkerReply& reply);
  // Ends the worker; says how it ended.
  std::string End();

  const WorkerCommand command_;
  ChildProcess child_;
  UniqueFd socket_;
  uint64_t last_id_ = 0;
};

}  // namespace burnish::agent
