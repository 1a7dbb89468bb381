// The agent of a private server: started once a client needs devices, started again when it dies,
// gone when the server goes, however the server ends (the agent holds the other end of a pipe).
#pragma once

#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/base/subprocess.h"
#include "common/base/unique_fd.h"

namespace burnish::server {

struct ChildAgentOptions {
  std::string program;         // full path
  std::string server_address;  // unix:PATH
  std::string state_folder;
  std::string log_path;                                    // emptied at every start of the server
  absl::Duration shortest_wait = absl::Milliseconds(200);  // before it is started again
  absl::Duration longest_wait = absl::Seconds(10);
  absl::Duration patience = absl::Seconds(5);  // for it to end by itself at the server's end
};

class ChildAgent {
 public:
  explicit ChildAgent(ChildAgentOptions options);
  ~ChildAgent();
  ChildAgent(const ChildAgent&) = delete;
  ChildAgent& operator=(const ChildAgent&) = delete;

  // Any thread, any number of times; does not wait for the agent.
  void EnsureStarted();
  // Ends the agent, by force if it has to be. No start after this.
  void Stop();

 private:
  void Supervise();
  // One life of the agent; false when it ended because of Stop().
  bool RunOnce();
  bool StopWithin(absl::Duration timeout);
  absl::StatusOr<ChildProcess> Start(UniqueFd& keep_alive) const;

  const ChildAgentOptions options_;
  const UniqueFd stop_event_;  // readable once Stop() was called
  absl::Mutex mutex_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread supervisor_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace burnish::server
