#include "server/store/sql/retention.h"

#include <cstdint>
#include <optional>

#include "common/base/status_macros.h"
#include "server/store/sql/codec.h"

namespace burnish::store::sql {
namespace {

Batch ItemsOfJob(Connection& connection, int64_t job, int limit) {
  Batch items({{"item", Batch::Type::kInteger}});
  Query query(connection,
              "SELECT i.id FROM tasks t JOIN work_items i ON i.task_id = t.id WHERE t.job_id = ? "
              "ORDER BY i.id LIMIT ? FOR UPDATE OF i",
              job, limit);
  while (query.Next()) items.Add({ToValue(query.Integer(0))});
  return items;
}

void DeleteItems(Connection& connection, const Batch& items) {
  Change(connection, items, "DELETE FROM trials WHERE work_item_id IN (SELECT item FROM batch)");
  // Items and results refer to each other.
  Change(connection, items,
         "UPDATE work_items SET result_sequence = NULL WHERE id IN (SELECT item FROM batch)");
  Change(connection, items,
         "DELETE FROM results WHERE attempt_id IN (SELECT a.id FROM attempts a "
         "WHERE a.work_item_id IN (SELECT item FROM batch))");
  Change(connection, items, "DELETE FROM attempts WHERE work_item_id IN (SELECT item FROM batch)");
  Change(connection, items, "DELETE FROM work_items WHERE id IN (SELECT item FROM batch)");
}

}  // namespace

bool AnySamplesToDrop(Connection& connection, absl::Time before) {
  Query query(connection,
              "SELECT 1 FROM jobs WHERE ended_ns < ? AND samples_above IS NOT NULL LIMIT 1",
              before);
  return query.Next();
}

absl::StatusOr<Removed> DropSamples(Connection& connection, absl::Time before, int limit) {
  int64_t job = 0;
  int64_t above = 0;
  {
    Query query(connection,
                "SELECT id, samples_above FROM jobs WHERE ended_ns < ? "
                "AND samples_above IS NOT NULL "
                "ORDER BY ended_ns LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED",
                before);
    if (!query.Next()) return Removed();
    job = query.Integer(0);
    above = query.Integer(1);
  }
  Batch stripped({{"sequence", Batch::Type::kInteger},
                  {"details", Batch::Type::kText},
                  {"samples", Batch::Type::kInteger}});
  Removed removed{.count = 0, .more = true};
  {
    Query query(connection,
                "SELECT r.sequence, r.details_json FROM tasks t JOIN results r ON r.task_id = t.id "
                "WHERE t.job_id = ? AND r.kind = 'measure' AND r.sequence > ? "
                "ORDER BY r.sequence LIMIT ?",
                job, above, limit);
    while (query.Next()) {
      above = query.Integer(0);
      ASSIGN_OR_RETURN(StrippedDetails details, StripSamples(query.Text(1)));
      removed.count += details.samples;
      stripped.Add({ToValue(above), ToValue(details.text), ToValue(details.samples)});
    }
  }
  Change(connection, stripped,
         "UPDATE results SET details_json = b.details, dropped_samples = b.samples FROM batch b "
         "WHERE results.sequence = b.sequence");
  const bool is_last = stripped.size() < static_cast<size_t>(limit);
  Change(connection, "UPDATE jobs SET samples_above = ? WHERE id = ?",
         is_last ? std::nullopt : std::optional(above), job);
  return removed;
}

bool AnyJobToDelete(Connection& connection, absl::Time before) {
  Query query(connection, "SELECT 1 FROM jobs WHERE ended_ns < ? LIMIT 1", before);
  return query.Next();
}

Removed DeleteJobs(Connection& connection, absl::Time before, int limit) {
  int64_t job = 0;
  {
    Query query(connection,
                "SELECT id FROM jobs WHERE ended_ns < ? ORDER BY ended_ns LIMIT 1 "
                "FOR UPDATE SKIP LOCKED",
                before);
    if (!query.Next()) return Removed();
    job = query.Integer(0);
  }
  const Batch items = ItemsOfJob(connection, job, limit);
  DeleteItems(connection, items);
  if (items.size() == static_cast<size_t>(limit)) return {.count = 0, .more = true};
  Change(connection,
         "DELETE FROM task_history WHERE task_id IN (SELECT id FROM tasks WHERE job_id = ?)", job);
  Change(connection, "DELETE FROM tasks WHERE job_id = ?", job);
  Change(connection, "DELETE FROM job_files WHERE job_id = ?", job);
  Change(connection, "DELETE FROM job_leases WHERE job_id = ?", job);
  Change(connection, "DELETE FROM jobs WHERE id = ?", job);
  return {.count = 1, .more = true};
}

}  // namespace burnish::store::sql
