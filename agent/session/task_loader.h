// Completes the definitions of tasks whose sources the server names by hash: out of the cache, or
// fetched from the server chunk by chunk, going on where a broken connection left it. One after the
// other on a thread of its own, so that the session's stream and heartbeats never wait.
//
// Load() may be called from any thread; `fetch` and `done` are called on the loader's.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "agent/session/blob_cache.h"
#include "burnish/v1/agent_service.pb.h"
#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/net/retry.h"
#include "common/work/task_definition.h"

namespace burnish::agent {

struct TaskLoaderOptions {
  std::string blob_folder;
  net::BackoffOptions backoff;
  // For how long one chunk is tried while the server cannot be reached.
  absl::Duration patience = absl::Minutes(1);
};

class TaskLoader {
 public:
  // A chunk from the offset on; OutOfRange behind the end. Ends at once when `stop` is requested.
  using Fetch = std::function<absl::StatusOr<v1::FetchReply>(const BlobHash& blob, int64_t offset,
                                                             const std::stop_token& stop)>;
  using Done =
      std::function<void(const TaskHash& hash, absl::StatusOr<work::TaskDefinition> definition)>;

  TaskLoader(TaskLoaderOptions options, Fetch fetch, Done done, const Clock& clock);
  // What is not done by then never is.
  ~TaskLoader();

  static bool IsWhole(const work::TaskDefinition& definition);
  // A task that is being loaded already is left to that.
  void Load(const TaskHash& hash, work::TaskDefinition definition);

 private:
  struct Order {
    TaskHash hash;
    work::TaskDefinition definition;
  };

  void Run();
  bool HasNews() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return stopping_ || !orders_.empty();
  }
  absl::Status Complete(spec::Source& source);
  absl::StatusOr<std::string> Content(const BlobHash& blob);
  absl::Status FetchRest(const BlobHash& blob);
  absl::StatusOr<v1::FetchReply> FetchChunk(const BlobHash& blob, int64_t offset);

  const TaskLoaderOptions options_;
  const Fetch fetch_;
  const Done done_;
  const Clock& clock_;
  BlobCache cache_;  // of the thread
  std::stop_source stop_;
  absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<Order> orders_ ABSL_GUARDED_BY(mutex_);  // the first one is being worked on
  std::thread thread_;                                // last: it uses all of the above
};

}  // namespace burnish::agent
