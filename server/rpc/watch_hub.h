// Tells watchers of jobs what changed: one thread takes the snapshots for all of them, when woken
// and at most every 200 ms.
//
// Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "burnish/v1/job_service.pb.h"
#include "server/jobs/snapshot.h"
#include "server/loop/loop.h"
#include "server/rpc/queued_stream.h"
#include "server/store/store.h"

namespace burnish::rpc {

namespace pb = burnish::v1;

using WatchStream = QueuedStream<grpc::ServerWriteReactor<pb::JobSnapshot>, pb::JobSnapshot>;

class WatchHub {
 public:
  explicit WatchHub(store::Store& store, absl::Duration rest = absl::Milliseconds(200));

  // Sends the first snapshot at once, later ones as the job changes; the one of a final state ends
  // the stream.
  void Watch(const Namespace& owner, JobId job, std::shared_ptr<WatchStream> stream);
  // Something may have changed.
  void Wake() { loop_.Wake(); }
  // Ends all streams, those that come later too.
  void Stop(const absl::Status& reason);

 private:
  using JobKey = std::pair<Namespace, JobId>;
  struct Watcher {
    std::shared_ptr<WatchStream> stream;
    pb::JobSnapshot last;
  };

  absl::StatusOr<pb::JobSnapshot> Take(const JobKey& job, jobs::JobProgress& progress);
  static void Offer(Watcher& watcher, const pb::JobSnapshot& snapshot);
  absl::Status Round();
  absl::Status TellWatchersOf(const JobKey& job);

  store::Store& store_;
  std::map<JobKey, jobs::JobProgress> progress_;  // of watched jobs; the loop's thread only
  absl::Mutex mutex_;
  std::map<JobKey, std::vector<Watcher>> watchers_ ABSL_GUARDED_BY(mutex_);
  absl::Status stopped_ ABSL_GUARDED_BY(mutex_);  // not OK once stopped
  server::Loop loop_;                             // last: its rounds use all of the above
};

}  // namespace burnish::rpc
