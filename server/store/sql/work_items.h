// Statements on the queue of work items: making them, and every way an item goes on after an
// attempt. Each runs inside the caller's transaction and may throw Failure.
//
// Rows are locked in this order, so that transactions never wait for each other in a ring: jobs,
// tasks, items by id.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "server/store/sql/query.h"
#include "server/store/store.h"

namespace burnish::store::sql {

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
  double device_seconds = 0;               // of the attempt
};

struct EndedItem {
  ItemRow item;
  ItemEnd end;
};

// The items as they are now, by id, locked together with their jobs: the order in which results and
// finished trials of a job are numbered is then the order in which they become visible.
std::map<int64_t, ItemRow> LockItems(Connection& connection, const std::vector<int64_t>& ids);

// The items must be locked. Ends them and gives the trials among them their places in the order of
// finishing.
void FinishItems(Connection& connection, const std::vector<EndedItem>& ended);
// Queues items again as if the attempts had not been made.
void QueueAgain(Connection& connection, const std::vector<int64_t>& ids);
// Attempts failed through no fault that is known of the candidates: queues the items again, or ends
// those with limits::kAttemptsWithoutReport failed attempts.
void CountFailedAttempts(Connection& connection, const std::vector<EndedItem>& failed);
// CountFailedAttempts for leases that ended without a report.
void CountLostLeases(Connection& connection, const std::vector<ItemRow>& items);

// Takes back what is queued or leased, and the trials that have not finished. The job is locked.
void WithdrawItemsOfJob(Connection& connection, JobId job);

absl::Status AddComparison(Connection& connection, absl::Time now, const Namespace& owner,
                           const TaskId& id, Fence fence, const work::CompareWork& work);
absl::StatusOr<int64_t> RunningItems(Connection& connection, const Namespace& owner,
                                     const TaskId& id);

}  // namespace burnish::store::sql
