#include "server/store/sql/history.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "common/base/status_macros.h"
#include "server/store/sql/codec.h"
#include "server/store/sql/history_codec.h"
#include "server/store/sql/tasks.h"

namespace burnish::store::sql {

absl::StatusOr<std::vector<HistorySource>> TaskHistory(Connection& connection,
                                                       const Namespace& owner, const TaskId& id) {
  Query query(connection,
              "SELECT h.sources_json FROM tasks t LEFT JOIN task_history h ON h.task_id = t.id "
              "WHERE t.job_id = ? AND t.ordinal = ? AND t.namespace = ?",
              id.job.value(), id.ordinal, owner.value());
  if (!query.Next()) return NoSuchTask(id);
  if (query.IsNull(0)) return std::vector<HistorySource>();
  return DecodeHistory(query.Text(0));
}

std::vector<RecordSet> RecordSets(Connection& connection, const Namespace& owner,
                                  const NewTask& task, int limit) {
  std::vector<RecordSet> sets;
  {
    Query query(connection,
                "SELECT l.problem, l.problem_key, l.device_class, l.job_id, l.ordinal "
                "FROM (SELECT max(t.id) AS latest FROM tasks t "
                "WHERE t.namespace = ? AND t.family = ? AND EXISTS (SELECT 1 FROM trials n "
                "WHERE n.task_id = t.id AND n.finished_position IS NOT NULL) "
                "GROUP BY t.problem_key, t.device_class) x JOIN tasks l ON l.id = x.latest "
                "ORDER BY (l.problem_key = ?) DESC, (l.device_class = ?) DESC, l.id DESC LIMIT ?",
                owner.value(), task.family, task.problem_key, task.device_class, limit);
    while (query.Next()) {
      sets.push_back({.problem = query.Text(0),
                      .problem_key = query.Text(1),
                      .device_class = query.Text(2),
                      .task = {JobId(query.Integer(3)), static_cast<int32_t>(query.Integer(4))}});
    }
  }
  {
    Query query(connection,
                "SELECT problem, problem_key, device_class, id, file_name FROM imported_sets "
                "WHERE namespace = ? AND family = ? ORDER BY (problem_key = ?) DESC, "
                "(device_class = ?) DESC, imported_ns DESC, id DESC LIMIT ?",
                owner.value(), task.family, task.problem_key, task.device_class, limit);
    while (query.Next()) {
      sets.push_back({.problem = query.Text(0),
                      .problem_key = query.Text(1),
                      .device_class = query.Text(2),
                      .import = ImportId(query.Integer(3)),
                      .file_name = query.Text(4)});
    }
  }
  // Of equally near ones those that were measured here come first.
  std::ranges::stable_sort(sets, {}, [&](const RecordSet& set) {
    return std::pair(set.problem_key != task.problem_key, set.device_class != task.device_class);
  });
  if (sets.size() > static_cast<size_t>(limit)) sets.resize(static_cast<size_t>(limit));
  return sets;
}

absl::StatusOr<std::vector<MeasuredConfiguration>> TrialRecords(Connection& connection,
                                                                const Namespace& owner,
                                                                const std::string& family,
                                                                const RecordSet& set, int limit) {
  Query query(connection,
              "SELECT i.configuration, i.outcome, r.latency_json FROM tasks t "
              "JOIN trials n ON n.task_id = t.id AND n.finished_position IS NOT NULL "
              "JOIN work_items i ON i.id = n.work_item_id "
              "LEFT JOIN results r ON r.sequence = i.result_sequence "
              "WHERE t.namespace = ? AND t.family = ? AND t.problem_key = ? "
              "AND t.device_class = ? AND i.outcome <> 'infrastructure' "
              "ORDER BY t.id DESC, n.finished_position DESC LIMIT ?",
              owner.value(), family, set.problem_key, set.device_class, limit);
  std::vector<MeasuredConfiguration> records;
  std::set<std::string> seen;
  while (query.Next()) {
    std::string text = query.Text(0);
    if (seen.contains(text)) continue;
    ASSIGN_OR_RETURN(const work::Outcome outcome, DecodeOutcome(query.Text(1)));
    MeasuredConfiguration record;
    if (outcome == work::Outcome::kOk) {
      if (query.IsNull(2)) continue;
      ASSIGN_OR_RETURN(const work::Latency latency, DecodeLatency(query.Text(2)));
      if (!std::isfinite(latency.seconds) || latency.seconds <= 0) continue;
      record.latency_seconds = latency.seconds;
    }
    ASSIGN_OR_RETURN(record.configuration, space::ConfigurationFromJson(text));
    records.push_back(std::move(record));
    seen.insert(std::move(text));
  }
  return records;
}

}  // namespace burnish::store::sql
