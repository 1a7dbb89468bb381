#include "agent/session/report_outbox.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "common/wire/work_item.h"

namespace burnish::agent {

ReportOutbox::ReportOutbox(ReportJournal journal, Wakeup& wakeup, const OutboxOptions& options)
    : options_(options), wakeup_(wakeup), journal_(std::move(journal)) {
  {
    absl::MutexLock lock(&mutex_);
    for (SharedReport& report : journal_.Read()) Put(std::move(report), /*journalled=*/true);
    if (!entries_.empty()) {
      Log(LogLevel::kInfo, "reports_of_earlier_life", {{"count", absl::StrCat(entries_.size())}});
    }
    WriteJournal();
  }
  thread_ = std::thread([this] { KeepJournal(); });
}

ReportOutbox::~ReportOutbox() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  thread_.join();
}

void ReportOutbox::Add(const work::Report& report) {
  auto message = std::make_shared<const v1::ReportMessage>(wire::ToProto(report));
  absl::MutexLock lock(&mutex_);
  Put(std::move(message), /*journalled=*/false);
  unwritten_ = true;
  UpdateRefusal();
  wakeup_.Notify();
}

void ReportOutbox::Put(SharedReport report, bool journalled) {
  const size_t bytes = report->ByteSizeLong();
  const AttemptId attempt(report->attempt_id());
  if (!entries_.emplace(attempt, Entry{std::move(report), /*sent=*/false, journalled}).second) {
    return;
  }
  bytes_ += bytes;
}

void ReportOutbox::Erase(const AttemptId& attempt) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(attempt);
  if (found == entries_.end()) return;
  if (found->second.journalled) {
    acknowledged_.push_back(attempt);
    unwritten_ = true;
  }
  bytes_ -= found->second.report->ByteSizeLong();
  entries_.erase(found);
  UpdateRefusal();
}

void ReportOutbox::Rewind() {
  absl::MutexLock lock(&mutex_);
  for (auto& [attempt, entry] : entries_) entry.sent = false;
}

std::vector<SharedReport> ReportOutbox::TakeUnsent() {
  absl::MutexLock lock(&mutex_);
  std::vector<SharedReport> unsent;
  for (auto& [attempt, entry] : entries_) {
    if (!std::exchange(entry.sent, true)) unsent.push_back(entry.report);
  }
  return unsent;
}

std::vector<HeldAttempt> ReportOutbox::Holding() const {
  absl::MutexLock lock(&mutex_);
  std::vector<HeldAttempt> holding;
  for (const auto& [attempt, entry] : entries_) {
    holding.push_back(
        {attempt, WorkItemId(entry.report->work_item_id()), Fence(entry.report->fence())});
  }
  return holding;
}

std::string ReportOutbox::Refusal() const {
  absl::MutexLock lock(&mutex_);
  return refusal_;
}

void ReportOutbox::UpdateRefusal() {
  // Room again only when half of it is free, so as not to go back and forth with every report.
  full_ = full_ ? entries_.size() > options_.max_reports / 2 || bytes_ > options_.max_bytes / 2
                : entries_.size() >= options_.max_reports || bytes_ >= options_.max_bytes;
  std::string refusal;
  if (!journal_status_.ok()) {
    refusal = absl::StrCat("the agent's journal of results cannot be written: ",
                           std::string(journal_status_.message()));
  } else if (full_) {
    refusal = absl::StrCat("the agent's journal of results is full: the server has not taken ",
                           entries_.size(), " reports of ", bytes_, " bytes");
  }
  const bool changed = refusal.empty() != refusal_.empty();
  refusal_ = std::move(refusal);
  if (!changed) return;
  if (refusal_.empty()) {
    Log(LogLevel::kInfo, "new_work_accepted_again");
  } else {
    Log(LogLevel::kError, "new_work_refused", {{"reason", refusal_}});
  }
  wakeup_.Notify();
}

void ReportOutbox::WriteJournal() {
  unwritten_ = false;
  const bool rewrite = journal_.NeedsRewrite(bytes_);
  std::vector<SharedReport> reports;
  for (auto& [attempt, entry] : entries_) {
    if (rewrite || !entry.journalled) reports.push_back(entry.report);
    entry.journalled = true;  // if it fails, all are rewritten
  }
  const std::vector<AttemptId> acknowledged = std::exchange(acknowledged_, {});
  mutex_.Unlock();
  const absl::Status status =
      rewrite ? journal_.Rewrite(reports) : journal_.Append(reports, acknowledged);
  mutex_.Lock();
  journal_status_ = status;
  UpdateRefusal();
}

void ReportOutbox::KeepJournal() {
  const auto due = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return unwritten_ || stopping_; };
  absl::MutexLock lock(&mutex_);
  while (true) {
    const bool healthy = journal_status_.ok();
    if (healthy) mutex_.Await(absl::Condition(&due));
    const bool last = mutex_.AwaitWithTimeout(
        absl::Condition(&stopping_), healthy ? options_.journal_delay : options_.retry_interval);
    WriteJournal();
    if (last) return;
  }
}

}  // namespace burnish::agent
