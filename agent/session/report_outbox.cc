#include "agent/session/report_outbox.h"

#include <utility>

namespace burnish::agent {

void ReportOutbox::Add(work::Report report) {
  absl::MutexLock lock(&mutex_);
  const AttemptId attempt = report.attempt;
  entries_.emplace(attempt, Entry{std::move(report)});
}

void ReportOutbox::Erase(const AttemptId& attempt) {
  absl::MutexLock lock(&mutex_);
  entries_.erase(attempt);
}

void ReportOutbox::Rewind() {
  absl::MutexLock lock(&mutex_);
  for (auto& [attempt, entry] : entries_) entry.sent = false;
}

std::vector<work::Report> ReportOutbox::TakeUnsent() {
  absl::MutexLock lock(&mutex_);
  std::vector<work::Report> unsent;
  for (auto& [attempt, entry] : entries_) {
    if (!std::exchange(entry.sent, true)) unsent.push_back(entry.report);
  }
  return unsent;
}

std::vector<HeldAttempt> ReportOutbox::Holding() const {
  absl::MutexLock lock(&mutex_);
  std::vector<HeldAttempt> holding;
  for (const auto& [attempt, entry] : entries_) {
    holding.push_back({attempt, entry.report.work_item, entry.report.fence});
  }
  return holding;
}

}  // namespace burnish::agent
