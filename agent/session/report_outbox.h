// Reports that the server has not acknowledged yet. Each is sent once per stream, and again on
// every new stream, until its acknowledgement comes.
//
// A thread of its own journals them, so that an agent that dies sends them in its next life. A
// report is on disk before it is 500 ms old; most are acknowledged sooner and never written, which
// keeps the disk quiet while the device is timed. Sending never waits for the disk.
//
// While the journal is full or cannot be written, new work is to be refused (Refusal() says why).
// Nothing is dropped then: what was held already is still added, above the bound, and kept in
// memory; a journal that fails is tried again until it can be written. Thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "agent/executor/executor.h"
#include "agent/session/report_journal.h"
#include "agent/session/wakeup.h"
#include "common/base/ids.h"
#include "common/base/limits.h"
#include "common/work/work_item.h"

namespace burnish::agent {

struct OutboxOptions {
  absl::Duration journal_delay = absl::Milliseconds(250);  // leaves as long to write and sync
  absl::Duration retry_interval = absl::Seconds(2);        // of a journal that failed
  size_t max_reports = limits::kJournalReports;
  size_t max_bytes = limits::kJournalBytes;
};

class ReportOutbox {
 public:
  // Begins with what an earlier life left in the journal. The wake-up, which outlives this, is
  // notified of every addition and when Refusal() begins or ends.
  ReportOutbox(ReportJournal journal, Wakeup& wakeup, const OutboxOptions& options = {});
  // Journals what is left.
  ~ReportOutbox();
  ReportOutbox(const ReportOutbox&) = delete;

  void Add(const work::Report& report);
  // Acknowledged.
  void Erase(const AttemptId& attempt);

  // A new stream: everything is unsent again.
  void Rewind();
  // Those not sent on this stream yet, now taken as sent.
  std::vector<SharedReport> TakeUnsent();

  // The attempts whose report is in here, sent or not.
  std::vector<HeldAttempt> Holding() const;

  // Why no new work should be taken now; empty if it may be.
  std::string Refusal() const;

 private:
  struct Entry {
    SharedReport report;
    bool sent = false;
    bool journalled = false;
  };

  void Put(SharedReport report, bool journalled) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void UpdateRefusal() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Brings the journal up to date; unlocks meanwhile.
  void WriteJournal() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void KeepJournal();

  const OutboxOptions options_;
  Wakeup& wakeup_;
  ReportJournal journal_;  // the thread's

  mutable absl::Mutex mutex_;
  std::map<AttemptId, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // of all the reports
  bool full_ ABSL_GUARDED_BY(mutex_) = false;
  std::string refusal_ ABSL_GUARDED_BY(mutex_);

  std::vector<AttemptId> acknowledged_ ABSL_GUARDED_BY(mutex_);  // the journal does not know yet
  bool unwritten_ ABSL_GUARDED_BY(mutex_) = false;  // there is something for the journal
  absl::Status journal_status_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace burnish::agent
