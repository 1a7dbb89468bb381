#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "tests/bench/service/measures.h"

namespace burnish::bench {
namespace {

// Rows as a server writes them, of a job that has ended. SERIES yields n from 1 to the number
// wanted; both databases read the rest.
constexpr char kRows[] = R"sql(
INSERT INTO sessions (agent_id, opened_ns, last_seen_ns, live_until_ns, ended_ns)
  VALUES ('old', 1, 1, 1, 1);
INSERT INTO jobs (namespace, client_request_id, name, file_name, text, hold_id, state, reason,
  finish_requested, created_ns) VALUES ('default', 'bulk', 'bulk', 'job.yaml', '', '', 'done', '',
  false, 1);
INSERT INTO tasks (namespace, job_id, ordinal, device_class, selector, definition_hash, problem,
  problem_key, source_hash, space_size, budget_trials, flops, state, reason, device_id)
  SELECT 'default', id, 1, 'old', 'true', 'hash', 'bulk', 'key', 'source', 1000000, 1000000, 0,
  'done', '', 'old/cpu:0' FROM jobs;
INSERT INTO environments (hash, entries_json) VALUES ('bulk', '{"compiler":"g++ 12"}');
INSERT INTO work_items (namespace, task_id, kind, trial_number, work_json, configuration, state,
  fence, outcome, message)
  SELECT 'default', t.id, 'measure', n - 1, '{"configuration":{"A":' || n || ',"B":1}}',
  '{"A":' || n || ',"B":1}', 'done', 1, 'ok', '' FROM SERIES CROSS JOIN tasks t;
INSERT INTO attempts (id, work_item_id, fence, agent_id, device_id, granted_ns)
  SELECT 'a' || id || '.1.bulk', id, 1, 'old', 'old/cpu:0', 1 FROM work_items;
INSERT INTO results (namespace, attempt_id, task_id, kind, late, outcome, message,
  environment_hash, stored_ns, latency_json, correctness_json, details_json)
  SELECT 'default', 'a' || id || '.1.bulk', task_id, 'measure', false, 'ok', '', 'bulk', 1,
  '{"interval":[1e-4,1.1e-4],"min_seconds":1e-4,"relative_mad":0.001,"seconds":1e-4,"statistic":"p20"}',
  '{"max_relative_error":1e-7,"relative_frobenius":0.0,"verified":false,"worst":""}',
  '{"compile_seconds":0.25,"flags":[],"run_seconds":0.125,"samples":[[10000000,100],[10001237,100],[10002474,100],[10003711,100],[10004948,100],[10006185,100],[10007422,100],[10008659,100],[10009896,100],[10011133,100]]}'
  FROM work_items;
UPDATE work_items SET result_sequence = r.sequence FROM results r
  WHERE r.attempt_id = 'a' || work_items.id || '.1.bulk';
INSERT INTO trials (namespace, task_id, number, configuration_index, observed, work_item_id,
  finished_position) SELECT 'default', task_id, trial_number, trial_number, trial_number, id,
  trial_number FROM work_items;
)sql";

}  // namespace

void StoreInBulk(Database& database, int64_t trials) {
  const bool sqlite = database.kind() == DatabaseKind::kSqlite;
  if (sqlite) Server makes_the_schema(database);
  const std::string series =
      sqlite ? absl::StrCat(
                   "(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s "
                   "WHERE n < ",
                   trials, ") SELECT n FROM s) s")
             : absl::StrCat("generate_series(1, ", trials, ") s(n)");
  // One by one, each within the patience of the shell; its rows need no check of their references.
  const std::string rows = absl::StrReplaceAll(kRows, {{"SERIES", series}});
  const std::vector<std::string> statements = absl::StrSplit(rows, ';', absl::SkipWhitespace());
  for (const std::string& statement : statements) {
    database.Sql(sqlite ? statement
                        : absl::StrCat("SET session_replication_role = replica; ", statement));
  }
  if (!sqlite) database.Sql("VACUUM ANALYZE");
}

}  // namespace burnish::bench
