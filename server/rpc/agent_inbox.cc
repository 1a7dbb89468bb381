#include "server/rpc/agent_inbox.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/base/limits.h"
#include "common/base/status_macros.h"

namespace burnish::rpc {
namespace {

// Reports of one agent come in quick succession.
constexpr absl::Duration kGather = absl::Microseconds(700);

constexpr ptrdiff_t kGroup = static_cast<ptrdiff_t>(limits::kGroupCommit);

// The first entries, as many as one transaction takes.
template <typename Entry>
std::vector<Entry> TakeGroup(std::vector<Entry>& entries) {
  const auto end = entries.begin() + std::min(std::ssize(entries), kGroup);
  std::vector<Entry> group(std::make_move_iterator(entries.begin()), std::make_move_iterator(end));
  entries.erase(entries.begin(), end);
  return group;
}

template <typename Entry>
void PutBack(std::vector<Entry> group, std::vector<Entry>& entries) {
  group.insert(group.end(), std::make_move_iterator(entries.begin()),
               std::make_move_iterator(entries.end()));
  entries = std::move(group);
}

}  // namespace

AgentInbox::AgentInbox(dispatch::Dispatcher& dispatcher, std::function<void()> changed,
                       std::function<void(const absl::Status&)> round_ended)
    : dispatcher_(dispatcher),
      changed_(std::move(changed)),
      round_ended_(std::move(round_ended)),
      loop_({.name = "inbox", .gather = kGather}, [this] {
        const absl::Status status = Round();
        round_ended_(status);
        return status;
      }) {}

void AgentInbox::AddReport(std::shared_ptr<AgentSender> sender, store::SessionReport report) {
  {
    const absl::MutexLock lock(&mutex_);
    reports_.push_back({std::move(sender), std::move(report)});
  }
  loop_.Wake();
}

void AgentInbox::AddHeartbeat(std::shared_ptr<AgentSender> sender, int64_t sequence,
                              store::SessionRenewal heartbeat) {
  {
    const absl::MutexLock lock(&mutex_);
    const AgentSender* key = sender.get();
    heartbeats_.insert_or_assign(key, Heartbeat{std::move(sender), sequence, std::move(heartbeat)});
  }
  loop_.Wake();
}

absl::Status AgentInbox::Round() {
  RETURN_IF_ERROR(StoreReports());
  RETURN_IF_ERROR(Renew());
  const absl::MutexLock lock(&mutex_);
  if (!reports_.empty() || !heartbeats_.empty()) loop_.Wake();
  return absl::OkStatus();
}

absl::Status AgentInbox::StoreReports() {
  std::vector<Report> group;
  {
    const absl::MutexLock lock(&mutex_);
    group = TakeGroup(reports_);
  }
  if (group.empty()) return absl::OkStatus();
  std::vector<store::SessionReport> reports;
  for (const Report& one : group) reports.push_back(one.report);
  const auto results = dispatcher_.Reports(reports);
  if (!results.ok()) {
    const absl::MutexLock lock(&mutex_);
    PutBack(std::move(group), reports_);
    return results.status();
  }
  for (size_t i = 0; i < group.size(); ++i) {
    group[i].sender->OnStored(group[i].report.report, results->at(i));
  }
  changed_();
  return absl::OkStatus();
}

absl::Status AgentInbox::Renew() {
  std::vector<Heartbeat> group;
  {
    const absl::MutexLock lock(&mutex_);
    while (!heartbeats_.empty() && std::ssize(group) < kGroup) {
      Heartbeat heartbeat = std::move(heartbeats_.extract(heartbeats_.begin()).mapped());
      if (!heartbeat.sender->gone()) group.push_back(std::move(heartbeat));
    }
  }
  if (group.empty()) return absl::OkStatus();
  std::vector<store::SessionRenewal> renewals;
  for (const Heartbeat& one : group) renewals.push_back(one.renewal);
  const auto results = dispatcher_.Heartbeats(renewals);
  if (!results.ok()) {
    const absl::MutexLock lock(&mutex_);
    for (Heartbeat& one : group) {
      const AgentSender* key = one.sender.get();
      heartbeats_.try_emplace(key, std::move(one));  // unless a newer one has come
    }
    return results.status();
  }
  for (size_t i = 0; i < group.size(); ++i) {
    group[i].sender->OnRenewed(group[i].sequence, results->at(i));
  }
  return absl::OkStatus();
}

}  // namespace burnish::rpc
