// Statements on the queue of work items: making them, and every way an item goes on after an
// attempt. Each runs inside the caller's transaction and may throw SQLite::Exception.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/store/sqlite/connection.h"
#include "server/store/store.h"

namespace burnish::store::sqlite {

struct ItemRow {
  int64_t id = 0;
  Namespace owner;
  int64_t task_row = 0;
  std::string kind;
  std::optional<int64_t> trial_number;
  std::string state;
  int64_t fence = 0;
  int64_t failed_attempts = 0;
};

// What an item ends with.
struct ItemEnd {
  work::Outcome outcome = work::Outcome::kInfrastructure;
  std::string message;
  std::optional<int64_t> result_sequence;  // nothing when no report decided
};

int64_t InsertItem(Connection& connection, const Namespace& owner, int64_t task_row,
                   std::optional<int64_t> trial_number, const work::Work& work);
std::optional<ItemRow> FindItem(Connection& connection, int64_t id);

// Ends the item and, for a trial's, gives the trial its place in the order of finishing.
void FinishItem(Connection& connection, const ItemRow& item, const ItemEnd& end);
// Queues the item again as if the attempt had not been made.
void QueueAgain(Connection& connection, int64_t id);
// An attempt failed through no fault that is known of the candidate: queues the item again, or ends
// it with `end` once limits::kAttemptsWithoutReport attempts have failed.
void CountFailedAttempt(Connection& connection, const ItemRow& item, const ItemEnd& end);
// CountFailedAttempt for a lease that ended without a report.
void CountLostLease(Connection& connection, const ItemRow& item);

absl::Status AddComparison(Connection& connection, const Namespace& owner, const TaskId& id,
                           const work::CompareWork& work);
absl::StatusOr<int64_t> RunningItems(Connection& connection, const Namespace& owner,
                                     const TaskId& id);

}  // namespace burnish::store::sqlite
