#include "server/store/sqlite/results.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "server/store/sqlite/codec.h"
#include "server/store/sqlite/jobs.h"
#include "server/store/sqlite/sessions.h"
#include "server/store/sqlite/tasks.h"
#include "server/store/sqlite/work_items.h"

namespace burnish::store::sqlite {
namespace {

using Result = std::variant<work::Measurement, work::Comparison>;

const char* KindOf(const Result& result) {
  return std::holds_alternative<work::Measurement>(result)
             ? work::WorkKindName(work::MeasureWork{})
             : work::WorkKindName(work::CompareWork{});
}

work::Outcome OutcomeOf(const Result& result) {
  return std::visit([](const auto& one) { return one.outcome; }, result);
}

// The item of a report, after checking that this database granted the attempt to this agent.
absl::StatusOr<ItemRow> ItemOf(Connection& connection, const AgentId& agent,
                               const work::Report& report) {
  Query query(connection,
              "SELECT work_item_id FROM attempts "
              "WHERE id = ? AND work_item_id = ? AND fence = ? AND agent_id = ?",
              report.attempt.value(), report.work_item.value(), report.fence.value(),
              agent.value());
  if (!query.Next()) {
    return absl::NotFoundError(absl::StrCat("attempt ", report.attempt.value(),
                                            " was never granted to agent ", agent.value(),
                                            " by this database"));
  }
  ItemRow item = *FindItem(connection, query.Integer(0));
  if (item.kind != KindOf(report.result)) {
    return absl::InvalidArgumentError(absl::StrCat("attempt ", report.attempt.value(), " is a ",
                                                   item.kind, ", its report is of a ",
                                                   KindOf(report.result)));
  }
  return item;
}

bool IsStored(Connection& connection, const AttemptId& attempt) {
  Query query(connection, "SELECT 1 FROM results WHERE attempt_id = ?", attempt.value());
  return query.Next();
}

// An attempt whose lease was lost still counts while nobody else has claimed the item; its
// `infrastructure` does not, because the lost lease was counted as one failure already.
bool Counts(const ItemRow& item, const work::Report& report) {
  if (item.fence != report.fence.value()) return false;
  if (item.state == "leased") return true;
  return item.state == "queued" && OutcomeOf(report.result) != work::Outcome::kInfrastructure;
}

std::string PutEnvironment(Connection& connection,
                           const std::map<std::string, std::string>& environment) {
  std::string hash = work::EnvironmentHash(environment);
  Query(connection,
        "INSERT INTO environments (hash, entries_json) VALUES (?, ?) ON CONFLICT DO NOTHING", hash,
        EncodeEnvironment(environment))
      .Run();
  return hash;
}

int64_t InsertResult(Connection& connection, absl::Time now, const ItemRow& item,
                     const work::Report& report, bool late) {
  const auto* measurement = std::get_if<work::Measurement>(&report.result);
  std::optional<std::string> latency;
  std::optional<std::string> correctness;
  if (measurement != nullptr) {
    if (measurement->latency.has_value()) latency = EncodeLatency(*measurement->latency);
    correctness = EncodeCorrectness(measurement->correctness);
  }
  return std::visit(
      [&](const auto& result) {
        Query insert(connection,
                     "INSERT INTO results (namespace, attempt_id, task_id, kind, late, outcome, "
                     "message, environment_hash, stored_ns, latency_json, correctness_json, "
                     "details_json) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                     "RETURNING sequence",
                     item.owner.value(), report.attempt.value(), item.task_row, item.kind, late,
                     work::OutcomeName(result.outcome), result.message,
                     PutEnvironment(connection, result.environment), now, latency, correctness,
                     EncodeDetails(result));
        insert.Next();
        return insert.Integer(0);
      },
      report.result);
}

// Reads columns 0 to 6 of either SELECT below: kind, outcome, message, latency_json,
// correctness_json, details_json, entries_json.
absl::StatusOr<Result> ReadResult(const Query& row) {
  ASSIGN_OR_RETURN(const work::Outcome outcome, DecodeOutcome(row.Text(1)));
  const auto read_common = [&](auto& result) -> absl::Status {
    result.outcome = outcome;
    result.message = row.Text(2);
    RETURN_IF_ERROR(DecodeDetails(row.Text(5), result));
    ASSIGN_OR_RETURN(result.environment, DecodeEnvironment(row.Text(6)));
    return absl::OkStatus();
  };
  if (row.Text(0) != work::WorkKindName(work::MeasureWork{})) {
    work::Comparison comparison;
    RETURN_IF_ERROR(read_common(comparison));
    return comparison;
  }
  work::Measurement measurement;
  RETURN_IF_ERROR(read_common(measurement));
  if (!row.IsNull(3)) {
    ASSIGN_OR_RETURN(measurement.latency, DecodeLatency(row.Text(3)));
  }
  ASSIGN_OR_RETURN(measurement.correctness, DecodeCorrectness(row.Text(4)));
  return measurement;
}

absl::StatusOr<ResultRow> ReadResultRow(JobId job, const Query& row) {
  ResultRow result;
  ASSIGN_OR_RETURN(result.result, ReadResult(row));
  result.sequence = row.Integer(7);
  result.attempt = AttemptId(row.Text(8));
  result.late = row.Boolean(9);
  result.stored = row.Time(10);
  result.task = TaskId{job, static_cast<int32_t>(row.Integer(11))};
  result.device = DeviceId(row.Text(12));
  if (!row.IsNull(13)) {
    result.trial = TrialNumber(row.Integer(13));
    ASSIGN_OR_RETURN(result.configuration, space::ConfigurationFromJson(row.Text(14)));
  }
  return result;
}

}  // namespace

absl::StatusOr<work::ReportResult> StoreReport(Connection& connection, absl::Time now,
                                               const SessionId& session,
                                               const work::Report& report) {
  ASSIGN_OR_RETURN(const SessionRow sender, FindSession(connection, session));
  ASSIGN_OR_RETURN(const ItemRow item, ItemOf(connection, sender.agent, report));
  if (IsStored(connection, report.attempt)) return work::ReportResult::kDuplicate;
  const bool counts = Counts(item, report);
  const int64_t sequence = InsertResult(connection, now, item, report, !counts);
  if (!counts) return work::ReportResult::kLate;
  const ItemEnd end{
      .outcome = OutcomeOf(report.result),
      .message = std::visit([](const auto& result) { return result.message; }, report.result),
      .result_sequence = sequence};
  if (end.outcome == work::Outcome::kInfrastructure) {
    CountFailedAttempt(connection, item, end);
  } else {
    FinishItem(connection, item, end);
  }
  return work::ReportResult::kStored;
}

absl::StatusOr<std::vector<ResultRow>> Results(Connection& connection, const Namespace& owner,
                                               JobId id, std::string_view kind, int64_t after,
                                               int limit) {
  RETURN_IF_ERROR(CheckJob(connection, owner, id));
  std::vector<ResultRow> results;
  Query query(connection,
              "SELECT r.kind, r.outcome, r.message, r.latency_json, r.correctness_json, "
              "r.details_json, e.entries_json, r.sequence, r.attempt_id, r.late, r.stored_ns, "
              "t.ordinal, a.device_id, i.trial_number, i.work_json "
              "FROM tasks t JOIN results r ON r.task_id = t.id "
              "JOIN environments e ON e.hash = r.environment_hash "
              "JOIN attempts a ON a.id = r.attempt_id JOIN work_items i ON i.id = a.work_item_id "
              "WHERE t.job_id = ? AND r.kind = ? AND r.sequence > ? "
              "ORDER BY r.sequence LIMIT ?",
              id.value(), std::string(kind), after, limit);
  while (query.Next()) {
    ASSIGN_OR_RETURN(ResultRow row, ReadResultRow(id, query));
    results.push_back(std::move(row));
  }
  return results;
}

absl::StatusOr<std::optional<work::Comparison>> ComparisonResult(Connection& connection,
                                                                 const Namespace& owner,
                                                                 const TaskId& id) {
  ASSIGN_OR_RETURN(const TaskRow task, FindTask(connection, owner, id));
  Query query(connection,
              "SELECT r.kind, r.outcome, r.message, r.latency_json, r.correctness_json, "
              "r.details_json, e.entries_json, i.result_sequence, i.message FROM work_items i "
              "LEFT JOIN results r ON r.sequence = i.result_sequence "
              "LEFT JOIN environments e ON e.hash = r.environment_hash "
              "WHERE i.task_id = ? AND i.kind = 'compare' AND i.state = 'done'",
              task.row);
  if (!query.Next()) return std::nullopt;
  if (query.IsNull(7)) {  // ended by lost leases: no report decided
    work::Comparison comparison;
    comparison.message = query.Text(8);
    return comparison;
  }
  ASSIGN_OR_RETURN(Result result, ReadResult(query));
  return std::get<work::Comparison>(std::move(result));
}

}  // namespace burnish::store::sqlite
