// Reports that the server has not acknowledged yet. Each is sent once per stream, and again on
// every new stream, until its acknowledgement comes. Thread-safe.
#pragma once

#include <map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "agent/executor/executor.h"
#include "common/base/ids.h"
#include "common/work/work_item.h"

namespace burnish::agent {

class ReportOutbox {
 public:
  void Add(work::Report report);
  // Acknowledged, or no longer wanted.
  void Erase(const AttemptId& attempt);

  // A new stream: everything is unsent again.
  void Rewind();
  // Those not sent on this stream yet, now taken as sent.
  std::vector<work::Report> TakeUnsent();

  // The attempts whose report is in here, sent or not.
  std::vector<HeldAttempt> Holding() const;

 private:
  struct Entry {
    work::Report report;
    bool sent = false;
  };

  mutable absl::Mutex mutex_;
  std::map<AttemptId, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace burnish::agent
