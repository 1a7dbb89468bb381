// What agents send often: reports and heartbeats of all streams, taken to the store in groups.
// While one group is being committed the next one gathers; nobody is answered before the commit.
//
// While the database is away everything waits here and is tried again; of the heartbeats of a
// stream the newest alone, which says all. So agents are live again as soon as the database is.
// Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "server/dispatch/dispatcher.h"
#include "server/loop/loop.h"

namespace burnish::rpc {

// A stream, as the inbox answers it. Calls come on the inbox's thread and never block.
class AgentSender {
 public:
  virtual ~AgentSender() = default;
  virtual void OnStored(const work::Report& report,
                        const absl::StatusOr<work::ReportResult>& result) = 0;
  virtual void OnRenewed(int64_t sequence,
                         const absl::StatusOr<std::vector<AttemptId>>& renewed) = 0;
  // The stream has ended: its sessions must not be renewed by what it said before.
  virtual bool gone() const = 0;
};

class AgentInbox {
 public:
  // `changed` is called after reports were stored; `round_ended` after every round, at least twice
  // a second, with what the store said. All outlive the inbox.
  AgentInbox(dispatch::Dispatcher& dispatcher, std::function<void()> changed,
             std::function<void(const absl::Status&)> round_ended);

  void AddReport(std::shared_ptr<AgentSender> sender, store::SessionReport report);
  // Takes the place of an older one of this sender, which then gets no answer.
  void AddHeartbeat(std::shared_ptr<AgentSender> sender, int64_t sequence,
                    store::SessionRenewal heartbeat);
  // Nothing is taken to the store afterwards.
  void Stop() { loop_.Stop(); }

 private:
  struct Report {
    std::shared_ptr<AgentSender> sender;
    store::SessionReport report;
  };
  struct Heartbeat {
    std::shared_ptr<AgentSender> sender;
    int64_t sequence = 0;
    store::SessionRenewal renewal;
  };

  absl::Status Round();
  absl::Status StoreReports();
  absl::Status Renew();

  dispatch::Dispatcher& dispatcher_;
  const std::function<void()> changed_;
  const std::function<void(const absl::Status&)> round_ended_;
  absl::Mutex mutex_;
  std::vector<Report> reports_ ABSL_GUARDED_BY(mutex_);
  std::map<const AgentSender*, Heartbeat> heartbeats_ ABSL_GUARDED_BY(mutex_);
  server::Loop loop_;  // last: its rounds use all of the above
};

}  // namespace burnish::rpc
