#include "server/store/sql/results.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "server/store/sql/codec.h"
#include "server/store/sql/fleet.h"
#include "server/store/sql/jobs.h"
#include "server/store/sql/sessions.h"
#include "server/store/sql/tasks.h"
#include "server/store/sql/work_items.h"

namespace burnish::store::sql {
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

// Of the attempt, compiling included.
double DeviceSecondsOf(const Result& result) {
  const auto* measurement = std::get_if<work::Measurement>(&result);
  return measurement != nullptr ? measurement->compile_seconds + measurement->run_seconds
                                : std::get<work::Comparison>(result).run_seconds;
}

std::string AttemptNotGranted(const AttemptId& attempt) {
  return absl::StrCat("attempt ", attempt.value(),
                      " was never granted to the reporting agent by this database");
}

// What the database knows of a report's attempt.
struct KnownAttempt {
  int64_t item = 0;
  int64_t fence = 0;
  bool stored = false;
  std::string device;
};

// The attempts that were granted to the agents that report them, by the report's place.
std::map<int64_t, KnownAttempt> FindAttempts(Connection& connection,
                                             const std::vector<SessionReport>& reports) {
  Batch batch({{"n", Batch::Type::kInteger},
               {"session", Batch::Type::kInteger},
               {"attempt", Batch::Type::kText}});
  for (size_t n = 0; n < reports.size(); ++n) {
    batch.Add({ToValue(static_cast<int64_t>(n)), ToValue(RowOf(reports[n].session)),
               ToValue(reports[n].report.attempt.value())});
  }
  std::map<int64_t, KnownAttempt> known;
  Query query(
      connection, batch,
      "SELECT b.n, a.work_item_id, a.fence, r.sequence IS NOT NULL, a.device_id FROM batch b "
      "JOIN attempts a ON a.id = b.attempt "
      "JOIN sessions s ON s.id = b.session AND s.agent_id = a.agent_id "
      "LEFT JOIN results r ON r.attempt_id = a.id");
  while (query.Next()) {
    known.emplace(query.Integer(0), KnownAttempt{.item = query.Integer(1),
                                                 .fence = query.Integer(2),
                                                 .stored = query.Boolean(3),
                                                 .device = query.Text(4)});
  }
  return known;
}

// An attempt whose lease was lost still counts while nobody else has claimed the item; its
// `infrastructure` does not, because the lost lease was counted as one failure already.
bool Counts(const ItemRow& item, const work::Report& report) {
  if (item.fence != report.fence.value()) return false;
  if (item.state == "leased") return true;
  return item.state == "queued" && OutcomeOf(report.result) != work::Outcome::kInfrastructure;
}

// One row to store, and what becomes of its item.
struct Verdict {
  int64_t n = 0;  // the report's place
  const work::Report* report = nullptr;
  const ItemRow* item = nullptr;
  bool counts = false;
  std::string environment_hash;
};

void InsertEnvironments(Connection& connection, std::vector<Verdict>& verdicts) {
  std::map<std::string, std::string> texts;
  for (Verdict& verdict : verdicts) {
    std::visit(
        [&](const auto& result) {
          verdict.environment_hash = work::EnvironmentHash(result.environment);
          texts.emplace(verdict.environment_hash, EncodeEnvironment(result.environment));
        },
        verdict.report->result);
  }
  Batch batch({{"hash", Batch::Type::kText}, {"entries", Batch::Type::kText}});
  for (const auto& [hash, text] : texts) batch.Add({ToValue(hash), ToValue(text)});
  Change(connection, batch,
         "INSERT INTO environments (hash, entries_json) SELECT b.hash, b.entries FROM batch b "
         "WHERE true ON CONFLICT (hash) DO NOTHING");
}

std::vector<Value> ResultValues(const Verdict& verdict) {
  const auto* measurement = std::get_if<work::Measurement>(&verdict.report->result);
  std::optional<std::string> latency;
  std::optional<std::string> correctness;
  std::string control = "0";
  if (measurement != nullptr) {
    control = absl::StrCat(measurement->control_seconds);
    if (measurement->latency.has_value()) {
      latency = EncodeLatency(*measurement->latency, measurement->figures);
    }
    correctness = EncodeCorrectness(measurement->correctness);
  }
  return std::visit(
      [&](const auto& result) -> std::vector<Value> {
        return {ToValue(verdict.item->owner.value()),
                ToValue(verdict.report->attempt.value()),
                ToValue(verdict.item->task_row),
                ToValue(verdict.item->kind),
                ToValue(!verdict.counts),
                ToValue(work::OutcomeName(result.outcome)),
                ToValue(result.message),
                ToValue(verdict.environment_hash),
                ToValue(latency),
                ToValue(correctness),
                ToValue(control),
                ToValue(EncodeDetails(result))};
      },
      verdict.report->result);
}

// The sequence of each result, by attempt.
std::map<std::string, int64_t> InsertResults(Connection& connection, absl::Time now,
                                             const std::vector<Verdict>& verdicts) {
  Batch batch({{"owner", Batch::Type::kText},
               {"attempt", Batch::Type::kText},
               {"task", Batch::Type::kInteger},
               {"kind", Batch::Type::kText},
               {"late", Batch::Type::kBoolean},
               {"outcome", Batch::Type::kText},
               {"message", Batch::Type::kText},
               {"environment", Batch::Type::kText},
               {"latency", Batch::Type::kText},
               {"correctness", Batch::Type::kText},
               {"control", Batch::Type::kText},
               {"details", Batch::Type::kText}});
  for (const Verdict& verdict : verdicts) batch.Add(ResultValues(verdict));
  std::map<std::string, int64_t> sequences;
  Query inserted(connection, batch,
                 "INSERT INTO results (namespace, attempt_id, task_id, kind, late, outcome, "
                 "message, environment_hash, stored_ns, latency_json, correctness_json, "
                 "control_seconds, details_json) SELECT b.owner, b.attempt, b.task, b.kind, "
                 "b.late, b.outcome, "
                 "b.message, b.environment, CAST(? AS BIGINT), b.latency, b.correctness, "
                 "CAST(b.control AS DOUBLE PRECISION), b.details "
                 "FROM batch b RETURNING attempt_id, sequence",
                 now);
  while (inserted.Next()) sequences.emplace(inserted.Text(0), inserted.Integer(1));
  return sequences;
}

// Moves the items on whose report counts. At most one report of an item counts: a second one has
// the same fence only if it is the same attempt.
void MoveItems(Connection& connection, const std::vector<Verdict>& verdicts,
               const std::map<std::string, int64_t>& sequences) {
  std::vector<EndedItem> finished;
  std::vector<EndedItem> failed;
  for (const Verdict& verdict : verdicts) {
    if (!verdict.counts) continue;
    EndedItem ended{.item = *verdict.item,
                    .end = {.outcome = OutcomeOf(verdict.report->result),
                            .message = std::visit([](const auto& result) { return result.message; },
                                                  verdict.report->result),
                            .result_sequence = sequences.at(verdict.report->attempt.value()),
                            .device_seconds = DeviceSecondsOf(verdict.report->result)}};
    (ended.end.outcome == work::Outcome::kInfrastructure ? failed : finished)
        .push_back(std::move(ended));
  }
  FinishItems(connection, finished);
  CountFailedAttempts(connection, failed);
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
    ASSIGN_OR_RETURN(measurement.figures, DecodeFigures(row.Text(3)));
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
  result.dropped_samples = row.OptionalInteger(15);
  return result;
}

}  // namespace

std::vector<absl::StatusOr<work::ReportResult>> StoreReports(
    Connection& connection, absl::Time now, const std::vector<SessionReport>& reports) {
  std::vector<int64_t> ids;
  for (const SessionReport& one : reports) ids.push_back(one.report.work_item.value());
  const std::map<int64_t, ItemRow> items = LockItems(connection, ids);
  // Read after the lock: whoever reported one of these attempts meanwhile has committed.
  const std::map<int64_t, KnownAttempt> known = FindAttempts(connection, reports);

  std::vector<absl::StatusOr<work::ReportResult>> results;
  std::vector<Verdict> verdicts;
  std::set<AttemptId> seen;
  for (size_t n = 0; n < reports.size(); ++n) {
    const work::Report& report = reports[n].report;
    const auto attempt = known.find(static_cast<int64_t>(n));
    const auto item = items.find(report.work_item.value());
    if (attempt == known.end() || item == items.end() ||
        attempt->second.item != report.work_item.value() ||
        attempt->second.fence != report.fence.value()) {
      results.push_back(absl::NotFoundError(AttemptNotGranted(report.attempt)));
    } else if (item->second.kind != KindOf(report.result)) {
      results.push_back(absl::InvalidArgumentError(
          absl::StrCat("attempt ", report.attempt.value(), " is a ", item->second.kind,
                       ", its report is of a ", KindOf(report.result))));
    } else if (attempt->second.stored || !seen.insert(report.attempt).second) {
      results.push_back(work::ReportResult::kDuplicate);
    } else {
      const bool counts = Counts(item->second, report);
      verdicts.push_back({.n = static_cast<int64_t>(n),
                          .report = &report,
                          .item = &item->second,
                          .counts = counts});
      results.push_back(counts ? work::ReportResult::kStored : work::ReportResult::kLate);
    }
  }
  if (verdicts.empty()) return results;
  InsertEnvironments(connection, verdicts);
  MoveItems(connection, verdicts, InsertResults(connection, now, verdicts));
  std::vector<Charge> charges;
  for (const Verdict& verdict : verdicts) {
    charges.push_back(
        {.owner = verdict.item->owner,
         .device = DeviceId(known.at(verdict.n).device),
         .seconds =
             std::visit([](const auto& one) { return one.run_seconds; }, verdict.report->result),
         .failed = OutcomeOf(verdict.report->result) == work::Outcome::kInfrastructure});
  }
  ChargeDevices(connection, now, charges);
  return results;
}

absl::StatusOr<std::vector<ResultRow>> Results(Connection& connection, const Namespace& owner,
                                               JobId id, std::string_view kind, int64_t after,
                                               int limit) {
  RETURN_IF_ERROR(CheckJob(connection, owner, id));
  std::vector<ResultRow> results;
  Query query(connection,
              "SELECT r.kind, r.outcome, r.message, r.latency_json, r.correctness_json, "
              "r.details_json, e.entries_json, r.sequence, r.attempt_id, r.late, r.stored_ns, "
              "t.ordinal, a.device_id, i.trial_number, i.work_json, r.dropped_samples "
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

}  // namespace burnish::store::sql
