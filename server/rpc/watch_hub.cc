#include "server/rpc/watch_hub.h"

#include <algorithm>
#include <string>

#include "common/base/status_macros.h"
#include "google/protobuf/util/message_differencer.h"
#include "server/rpc/snapshot_wire.h"

namespace burnish::rpc {
namespace {

using google::protobuf::util::MessageDifferencer;

bool IsFinal(const pb::JobSnapshot& snapshot) {
  return snapshot.state() == pb::STATE_DONE || snapshot.state() == pb::STATE_FAILED ||
         snapshot.state() == pb::STATE_CANCELLED;
}

}  // namespace

WatchHub::WatchHub(store::Store& store, absl::Duration rest)
    : store_(store), loop_({.name = "watch", .interval = absl::Seconds(1), .rest = rest}, [this] {
        return Round();
      }) {}

void WatchHub::Watch(const Namespace& owner, JobId job, std::shared_ptr<WatchStream> stream) {
  const JobKey key(owner, job);
  jobs::JobProgress none_yet;
  const absl::StatusOr<pb::JobSnapshot> snapshot = Take(key, none_yet);
  if (!snapshot.ok()) {
    stream->End(snapshot.status());
    return;
  }
  Watcher watcher{.stream = std::move(stream), .last = {}};
  absl::MutexLock lock(&mutex_);
  if (!stopped_.ok()) {
    watcher.stream->End(stopped_);
    return;
  }
  Offer(watcher, *snapshot);
  watchers_[key].push_back(std::move(watcher));
  loop_.Wake();  // what changed since the snapshot was taken
}

void WatchHub::Stop(const absl::Status& reason) {
  loop_.Stop();
  absl::MutexLock lock(&mutex_);
  stopped_ = reason;
  for (auto& [job, watchers] : watchers_) {
    for (Watcher& watcher : watchers) watcher.stream->End(reason);
  }
  watchers_.clear();
}

absl::StatusOr<pb::JobSnapshot> WatchHub::Take(const JobKey& job, jobs::JobProgress& progress) {
  ASSIGN_OR_RETURN(const jobs::JobSnapshot snapshot,
                   jobs::TakeSnapshot(store_, job.first, job.second, progress));
  return ToProto(snapshot, store_.Now());
}

void WatchHub::Offer(Watcher& watcher, const pb::JobSnapshot& snapshot) {
  watcher.stream->SendLatest(snapshot);
  watcher.last = snapshot;
  if (IsFinal(snapshot)) watcher.stream->End(absl::OkStatus());
}

absl::Status WatchHub::Round() {
  std::vector<JobKey> watched;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [job, watchers] : watchers_) watched.push_back(job);
    std::erase_if(progress_, [this](const auto& entry) ABSL_NO_THREAD_SAFETY_ANALYSIS {
      return !watchers_.contains(entry.first);
    });
  }
  absl::Status status;
  for (const JobKey& job : watched) status.Update(TellWatchersOf(job));
  return status;
}

absl::Status WatchHub::TellWatchersOf(const JobKey& job) {
  // Outside the lock: it reads the store.
  const absl::StatusOr<pb::JobSnapshot> snapshot = Take(job, progress_[job]);
  absl::MutexLock lock(&mutex_);
  const auto found = watchers_.find(job);
  if (found == watchers_.end()) return absl::OkStatus();
  for (Watcher& watcher : found->second) {
    if (!snapshot.ok() || watcher.stream->ended()) continue;
    if (!MessageDifferencer::Equals(watcher.last, *snapshot)) Offer(watcher, *snapshot);
  }
  std::erase_if(found->second, [](const Watcher& watcher) { return watcher.stream->ended(); });
  if (found->second.empty()) watchers_.erase(found);
  return snapshot.status();
}

}  // namespace burnish::rpc
