// The text of every schema step. Times are nanoseconds since 1970; `*_json` columns are written and
// read by codec.cc alone; states and outcomes are the words of StateName and OutcomeName.
#include "server/store/sqlite/schema.h"

#include <array>

namespace burnish::store::sqlite {
namespace {

constexpr const char* kInitial = R"sql(
-- One row: a random word that no other database has; it makes attempt ids unique among databases.
CREATE TABLE identity (
  database_id TEXT NOT NULL
) STRICT;
INSERT INTO identity VALUES (lower(hex(randomblob(4))));

CREATE TABLE jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace TEXT NOT NULL,
  client_request_id TEXT NOT NULL,
  name TEXT NOT NULL,
  file_name TEXT NOT NULL,
  text TEXT NOT NULL,
  hold_id TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  finish_requested INTEGER NOT NULL,
  created_ns INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX jobs_by_request ON jobs (namespace, client_request_id)
  WHERE client_request_id <> '';
CREATE INDEX active_jobs ON jobs (id) WHERE state NOT IN ('done', 'failed', 'cancelled');

CREATE TABLE job_files (
  job_id INTEGER NOT NULL REFERENCES jobs (id),
  name TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (job_id, name)
) STRICT;

-- With the configuration of the work item, the device class and the environment, the problem key,
-- template and source hash are the identity of a record.
CREATE TABLE tasks (
  id INTEGER PRIMARY KEY,
  namespace TEXT NOT NULL,
  job_id INTEGER NOT NULL REFERENCES jobs (id),
  ordinal INTEGER NOT NULL,
  device_class TEXT NOT NULL,
  selector TEXT NOT NULL,
  definition_hash TEXT NOT NULL,
  problem TEXT NOT NULL,
  problem_key TEXT NOT NULL,
  template_id TEXT NOT NULL DEFAULT '',
  template_version INTEGER NOT NULL DEFAULT 0,
  source_hash TEXT NOT NULL,
  space_size INTEGER NOT NULL, -- the 64 bits of an unsigned number
  budget_trials INTEGER NOT NULL,
  flops REAL NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  device_id TEXT NOT NULL DEFAULT '',
  result_json TEXT,
  started_ns INTEGER,
  ended_ns INTEGER,
  UNIQUE (job_id, ordinal)
) STRICT;
CREATE INDEX open_tasks ON tasks (id) WHERE state IN ('running', 'finishing');

-- One row per agent connection; ended once another one or a goodbye has replaced it.
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  agent_id TEXT NOT NULL,
  opened_ns INTEGER NOT NULL,
  last_seen_ns INTEGER NOT NULL,
  live_until_ns INTEGER NOT NULL,
  ended_ns INTEGER
) STRICT;
CREATE UNIQUE INDEX current_session ON sessions (agent_id) WHERE ended_ns IS NULL;

CREATE TABLE devices (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  session_id INTEGER NOT NULL REFERENCES sessions (id),
  available INTEGER NOT NULL,
  info_json TEXT NOT NULL
) STRICT;

-- state: queued, leased, done, or withdrawn (taken back after an attempt; kept for late reports).
CREATE TABLE work_items (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace TEXT NOT NULL,
  task_id INTEGER NOT NULL REFERENCES tasks (id),
  kind TEXT NOT NULL,
  trial_number INTEGER,    -- measure
  work_json TEXT NOT NULL, -- the configuration, names in declared order; or the comparison
  configuration TEXT,      -- measure: canonical, part of the record's identity
  state TEXT NOT NULL,
  fence INTEGER NOT NULL DEFAULT 0,
  failed_attempts INTEGER NOT NULL DEFAULT 0,
  session_id INTEGER REFERENCES sessions (id), -- with device and time: leased
  device_id TEXT,
  lease_until_ns INTEGER,
  outcome TEXT,            -- with message and result: done
  message TEXT,
  result_sequence INTEGER REFERENCES results (sequence)
) STRICT;
CREATE INDEX queued_items ON work_items (task_id, id) WHERE state = 'queued';
CREATE INDEX leased_items ON work_items (session_id, lease_until_ns) WHERE state = 'leased';
CREATE UNIQUE INDEX one_comparison ON work_items (task_id) WHERE kind = 'compare';

CREATE TABLE trials (
  namespace TEXT NOT NULL,
  task_id INTEGER NOT NULL REFERENCES tasks (id),
  number INTEGER NOT NULL,
  configuration_index INTEGER NOT NULL, -- the 64 bits of an unsigned number
  observed INTEGER NOT NULL,
  work_item_id INTEGER NOT NULL UNIQUE REFERENCES work_items (id),
  finished_position INTEGER,
  PRIMARY KEY (task_id, number)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX finished_trials ON trials (task_id, finished_position)
  WHERE finished_position IS NOT NULL;

-- Every grant, so that a report is known again however late it comes.
CREATE TABLE attempts (
  id TEXT PRIMARY KEY,
  work_item_id INTEGER NOT NULL REFERENCES work_items (id),
  fence INTEGER NOT NULL,
  agent_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  granted_ns INTEGER NOT NULL,
  UNIQUE (work_item_id, fence)
) STRICT, WITHOUT ROWID;

CREATE TABLE environments (
  hash TEXT PRIMARY KEY,
  entries_json TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Every reported attempt; its item and device stand with the attempt. Large columns stand last, where short reads never touch them.
CREATE TABLE results (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace TEXT NOT NULL,
  attempt_id TEXT NOT NULL UNIQUE REFERENCES attempts (id),
  task_id INTEGER NOT NULL REFERENCES tasks (id),
  kind TEXT NOT NULL,
  late INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  message TEXT NOT NULL,
  environment_hash TEXT NOT NULL REFERENCES environments (hash),
  stored_ns INTEGER NOT NULL,
  latency_json TEXT,
  correctness_json TEXT,
  details_json TEXT NOT NULL
) STRICT;
CREATE INDEX results_by_task ON results (task_id, kind, sequence);
)sql";

constexpr const char* kJobLeases = R"sql(
-- Which server drives the job, until when. The fence grows whenever another one takes it.
CREATE TABLE job_leases (
  job_id INTEGER PRIMARY KEY REFERENCES jobs (id),
  replica TEXT NOT NULL,
  fence INTEGER NOT NULL,
  until_ns INTEGER NOT NULL
) STRICT;
)sql";

constexpr const char* kFleet = R"sql(
-- What people or the server have decided about a device: active, draining, quarantined.
ALTER TABLE devices ADD COLUMN standing TEXT NOT NULL DEFAULT 'active';
ALTER TABLE devices ADD COLUMN standing_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE devices ADD COLUMN standing_by TEXT NOT NULL DEFAULT ''; -- empty: the server itself
ALTER TABLE devices ADD COLUMN standing_ns INTEGER;
ALTER TABLE devices ADD COLUMN failures INTEGER NOT NULL DEFAULT 0; -- infrastructure, in a row
ALTER TABLE devices ADD COLUMN control_seconds REAL NOT NULL DEFAULT 0;
CREATE INDEX leased_items_of_task ON work_items (task_id, device_id) WHERE state = 'leased';
CREATE INDEX standing_devices ON devices (id) WHERE standing <> 'active';
ALTER TABLE jobs ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
ALTER TABLE results ADD COLUMN control_seconds REAL NOT NULL DEFAULT 0;
-- What each team has had of the devices lately; both sums halve every limits::kShareHalfLife.
CREATE TABLE shares (
  namespace TEXT PRIMARY KEY,
  weight REAL NOT NULL DEFAULT 1,
  device_seconds REAL NOT NULL DEFAULT 0,
  attempts REAL NOT NULL DEFAULT 0,
  updated_ns INTEGER NOT NULL
) STRICT;
)sql";

constexpr const char* kQueuedTime = R"sql(
-- Since when the item has been waiting, or had waited when it was leased.
ALTER TABLE work_items ADD COLUMN queued_ns INTEGER NOT NULL DEFAULT 0;
)sql";

constexpr const char* kViews = R"sql(
-- For people's own queries; docs/database.md describes them. Columns are only ever added.
CREATE VIEW burnish_jobs AS
SELECT 'j' || j.id AS job_id, j.namespace, j.name, j.state, j.reason, j.priority,
  strftime('%Y-%m-%d %H:%M:%f', j.created_ns / 1e9, 'unixepoch') AS created,
  (SELECT count(*) FROM tasks t WHERE t.job_id = j.id) AS tasks
FROM jobs j;

CREATE VIEW burnish_tasks AS
SELECT 'j' || t.job_id || '.' || t.ordinal AS task_id, 'j' || t.job_id AS job_id, t.namespace,
  t.problem, t.problem_key, t.source_hash, t.device_class, t.device_id, t.state, t.reason,
  t.budget_trials,
  (SELECT count(*) FROM trials r WHERE r.task_id = t.id AND r.finished_position IS NOT NULL)
    AS finished_trials,
  CAST(json_extract(t.result_json, '$.speedup') AS REAL) AS speedup,
  json_extract(t.result_json, '$.best') AS best_configuration,
  CAST(json_extract(t.result_json, '$.best_seconds') AS REAL) AS best_seconds,
  strftime('%Y-%m-%d %H:%M:%f', t.started_ns / 1e9, 'unixepoch') AS started, strftime('%Y-%m-%d %H:%M:%f', t.ended_ns / 1e9, 'unixepoch') AS ended
FROM tasks t;

CREATE VIEW burnish_trials AS
SELECT 'j' || t.job_id || '.' || t.ordinal AS task_id, 'j' || t.job_id AS job_id, t.namespace,
  r.number AS trial, i.configuration, i.outcome, i.message,
  json_extract(m.latency_json, '$.statistic') AS statistic,
  CAST(json_extract(m.latency_json, '$.seconds') AS REAL) AS latency_seconds,
  CAST(json_extract(m.latency_json, '$.min_seconds') AS REAL) AS min_seconds,
  json_extract(m.correctness_json, '$.verified') AS verified,
  m.control_seconds, a.device_id, strftime('%Y-%m-%d %H:%M:%f', m.stored_ns / 1e9, 'unixepoch') AS stored
FROM trials r JOIN tasks t ON t.id = r.task_id JOIN work_items i ON i.id = r.work_item_id
LEFT JOIN results m ON m.sequence = i.result_sequence
LEFT JOIN attempts a ON a.id = m.attempt_id
WHERE r.finished_position IS NOT NULL;

CREATE VIEW burnish_devices AS
SELECT d.id AS device_id, d.agent_id, json_extract(d.info_json, '$.backend') AS backend,
  json_extract(d.info_json, '$.name') AS name, json_extract(d.info_json, '$.device_class') AS device_class,
  d.standing, d.standing_reason, d.control_seconds, strftime('%Y-%m-%d %H:%M:%f', s.last_seen_ns / 1e9, 'unixepoch') AS last_seen
FROM devices d JOIN sessions s ON s.id = d.session_id;
)sql";

constexpr const char* kTokens = R"sql(
-- Rows are never removed: once there was a token, callers need one.
CREATE TABLE tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE, -- SHA-256 of the secret, which is nowhere
  prefix TEXT NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  namespaces_json TEXT,      -- absent: all
  created_ns INTEGER NOT NULL,
  expires_ns INTEGER NOT NULL,
  last_used_ns INTEGER,
  revoked_ns INTEGER
) STRICT;
)sql";

constexpr const char* kBlobs = R"sql(
-- Content by its SHA-256, of which a part may be missing still.
CREATE TABLE blobs (
  sha256 TEXT NOT NULL,
  namespace TEXT NOT NULL,
  size INTEGER NOT NULL,
  received INTEGER NOT NULL,
  complete INTEGER NOT NULL,
  touched_ns INTEGER NOT NULL, -- when somebody last sent some of it, or asked for it
  PRIMARY KEY (sha256, namespace)
) STRICT, WITHOUT ROWID;
CREATE INDEX blobs_by_touch ON blobs (touched_ns);

CREATE TABLE blob_chunks (
  sha256 TEXT NOT NULL,
  namespace TEXT NOT NULL,
  start INTEGER NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (sha256, namespace, start),
  FOREIGN KEY (sha256, namespace) REFERENCES blobs (sha256, namespace) ON DELETE CASCADE
) STRICT;

-- In place of the content, which is a blob of the job's namespace; the content is then empty.
ALTER TABLE job_files ADD COLUMN sha256 TEXT;
CREATE INDEX job_files_by_blob ON job_files (sha256) WHERE sha256 IS NOT NULL;
)sql";

constexpr const char* kRetention = R"sql(
ALTER TABLE jobs ADD COLUMN ended_ns INTEGER;
-- Results above this sequence may have raw samples; NULL: none has.
ALTER TABLE jobs ADD COLUMN samples_above INTEGER DEFAULT 0;
UPDATE jobs SET ended_ns = coalesce(
  (SELECT max(t.ended_ns) FROM tasks t WHERE t.job_id = jobs.id), created_ns)
  WHERE state IN ('done', 'failed', 'cancelled');
CREATE INDEX ended_jobs ON jobs (ended_ns);
CREATE INDEX jobs_with_samples ON jobs (ended_ns) WHERE samples_above IS NOT NULL;
-- How many raw samples a measurement had, once they are dropped.
ALTER TABLE results ADD COLUMN dropped_samples INTEGER;
-- Deleting a task or a result looks for items that refer to it. An index by task alone would be
-- taken for its queued and leased items too; one index serves all three.
DROP INDEX queued_items;
DROP INDEX leased_items_of_task;
CREATE INDEX items_of_task ON work_items (task_id, state, id);
CREATE INDEX items_by_result ON work_items (result_sequence) WHERE result_sequence IS NOT NULL;
)sql";

constexpr const char* kRoofs = R"sql(
ALTER TABLE devices ADD COLUMN roofs_json TEXT; -- absent: never measured
ALTER TABLE devices ADD COLUMN roofs_absence TEXT NOT NULL DEFAULT ''; -- the agent's latest word
ALTER TABLE tasks ADD COLUMN bytes REAL NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN working_set_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN dtype TEXT NOT NULL DEFAULT '';
)sql";

// A configuration names its template, with the version, itself.
constexpr const char* kSchedules = R"sql(
ALTER TABLE tasks ADD COLUMN schedule TEXT NOT NULL DEFAULT ''; -- of a workload: JSON
ALTER TABLE tasks DROP COLUMN template_id;
ALTER TABLE tasks DROP COLUMN template_version;
)sql";

// Items that were measured before have taken no time of a device, as far as anybody knows.
constexpr const char* kCosts = R"sql(
ALTER TABLE work_items ADD COLUMN device_seconds REAL NOT NULL DEFAULT 0; -- of attempts that counted
ALTER TABLE tasks ADD COLUMN budget_seconds REAL NOT NULL DEFAULT 0;      -- 0: without bound
ALTER TABLE tasks ADD COLUMN budget_device_seconds REAL NOT NULL DEFAULT 0;
CREATE INDEX done_tasks ON tasks (source_hash, device_class, id) WHERE state = 'done';
)sql";

constexpr const char* kHistory = R"sql(
-- What two tasks have in common if the measurements of one say something of the other.
ALTER TABLE tasks ADD COLUMN family TEXT NOT NULL DEFAULT '';
UPDATE tasks SET family = source_hash WHERE schedule = '';
CREATE INDEX tasks_by_family ON tasks (namespace, family, id);
-- Of each source of the task's history its name and how many records it has.
ALTER TABLE tasks ADD COLUMN history_json TEXT NOT NULL DEFAULT '[]';
CREATE TABLE task_history (
  task_id INTEGER PRIMARY KEY REFERENCES tasks (id),
  sources_json TEXT NOT NULL
) STRICT;

CREATE TABLE imported_sets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace TEXT NOT NULL,
  identity TEXT NOT NULL, -- SHA-256 of problem key, source hash, device class and file name
  family TEXT NOT NULL,
  problem TEXT NOT NULL,
  problem_key TEXT NOT NULL,
  source_hash TEXT NOT NULL,
  device_class TEXT NOT NULL,
  file_name TEXT NOT NULL,
  records INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  imported_ns INTEGER NOT NULL,
  UNIQUE (namespace, identity)
) STRICT;
CREATE INDEX imported_sets_by_family ON imported_sets (namespace, family);

CREATE TABLE imported_records (
  set_id INTEGER NOT NULL REFERENCES imported_sets (id),
  place INTEGER NOT NULL,        -- from the fastest, those that failed last
  configuration TEXT NOT NULL,   -- canonical
  latency_seconds REAL NOT NULL, -- 0: it failed
  PRIMARY KEY (set_id, place)
) STRICT, WITHOUT ROWID;
)sql";

constexpr const char* kGoals = R"sql(
ALTER TABLE tasks ADD COLUMN goals TEXT NOT NULL DEFAULT ''; -- objectives and limits: JSON
)sql";

constexpr const char* kPruning = R"sql(
-- By which the search passes over configurations, from trial number roofs_from on.
ALTER TABLE tasks ADD COLUMN roofs_from INTEGER;
ALTER TABLE tasks ADD COLUMN roofs_json TEXT;
ALTER TABLE tasks ADD COLUMN pruned TEXT NOT NULL DEFAULT ''; -- what it passed over, for people
)sql";

constexpr const char* kIncumbent = R"sql(
-- Against what a trial races: the best of its task when it was proposed; empty: nothing.
ALTER TABLE work_items ADD COLUMN incumbent_json TEXT NOT NULL DEFAULT '';
)sql";

constexpr std::array<sql::Migration, 15> kMigrations = {{
    {1, "initial", kInitial},
    {2, "job_leases", kJobLeases},
    {3, "fleet", kFleet},
    {4, "queued_time", kQueuedTime},
    {5, "views", kViews},
    {6, "tokens", kTokens},
    {7, "blobs", kBlobs},
    {8, "retention", kRetention},
    {9, "roofs", kRoofs},
    {10, "schedules", kSchedules},
    {11, "costs", kCosts},
    {12, "history", kHistory},
    {13, "goals", kGoals},
    {14, "pruning", kPruning},
    {15, "incumbent", kIncumbent},
}};

}  // namespace

std::span<const sql::Migration> Migrations() { return kMigrations; }

}  // namespace burnish::store::sqlite
