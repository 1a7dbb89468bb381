// The text of every schema step; SQLite's tables, in PostgreSQL's types. Times are nanoseconds
// since 1970; `*_json` columns are written and read by codec.cc alone; states and outcomes are the
// words of StateName and OutcomeName.
#include "server/store/postgres/schema.h"

#include <array>

namespace burnish::store::postgres {
namespace {

constexpr const char* kInitial = R"sql(
-- One row: a random word that no other database has; it makes attempt ids unique among databases.
CREATE TABLE identity (
  database_id TEXT NOT NULL
);
INSERT INTO identity VALUES (substr(md5(random()::text || clock_timestamp()::text), 1, 8));

CREATE TABLE jobs (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace TEXT NOT NULL,
  client_request_id TEXT NOT NULL,
  name TEXT NOT NULL,
  file_name TEXT NOT NULL,
  text TEXT NOT NULL,
  hold_id TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  finish_requested BOOLEAN NOT NULL,
  created_ns BIGINT NOT NULL
);
CREATE UNIQUE INDEX jobs_by_request ON jobs (namespace, client_request_id)
  WHERE client_request_id <> '';
CREATE INDEX active_jobs ON jobs (id) WHERE state NOT IN ('done', 'failed', 'cancelled');

CREATE TABLE job_files (
  job_id BIGINT NOT NULL REFERENCES jobs (id),
  name TEXT NOT NULL,
  content BYTEA NOT NULL,
  PRIMARY KEY (job_id, name)
);

-- With the configuration of the work item, the device class and the environment, the problem key,
-- template and source hash are the identity of a record.
CREATE TABLE tasks (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace TEXT NOT NULL,
  job_id BIGINT NOT NULL REFERENCES jobs (id),
  ordinal BIGINT NOT NULL,
  device_class TEXT NOT NULL,
  selector TEXT NOT NULL,
  definition_hash TEXT NOT NULL,
  problem TEXT NOT NULL,
  problem_key TEXT NOT NULL,
  template_id TEXT NOT NULL DEFAULT '',
  template_version BIGINT NOT NULL DEFAULT 0,
  source_hash TEXT NOT NULL,
  space_size BIGINT NOT NULL, -- the 64 bits of an unsigned number
  budget_trials BIGINT NOT NULL,
  flops DOUBLE PRECISION NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  device_id TEXT NOT NULL DEFAULT '',
  result_json TEXT,
  started_ns BIGINT,
  ended_ns BIGINT,
  UNIQUE (job_id, ordinal)
);
CREATE INDEX open_tasks ON tasks (id) WHERE state IN ('running', 'finishing');

-- One row per agent connection; ended once another one or a goodbye has replaced it.
CREATE TABLE sessions (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  agent_id TEXT NOT NULL,
  opened_ns BIGINT NOT NULL,
  last_seen_ns BIGINT NOT NULL,
  live_until_ns BIGINT NOT NULL,
  ended_ns BIGINT
);
CREATE UNIQUE INDEX current_session ON sessions (agent_id) WHERE ended_ns IS NULL;

CREATE TABLE devices (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  session_id BIGINT NOT NULL REFERENCES sessions (id),
  available BOOLEAN NOT NULL,
  info_json TEXT NOT NULL
);

-- state: queued, leased, done, or withdrawn (taken back after an attempt; kept for late reports).
CREATE TABLE work_items (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace TEXT NOT NULL,
  task_id BIGINT NOT NULL REFERENCES tasks (id),
  kind TEXT NOT NULL,
  trial_number BIGINT,    -- measure
  work_json TEXT NOT NULL, -- the configuration, names in declared order; or the comparison
  configuration TEXT,      -- measure: canonical, part of the record's identity
  state TEXT NOT NULL,
  fence BIGINT NOT NULL DEFAULT 0,
  failed_attempts BIGINT NOT NULL DEFAULT 0,
  session_id BIGINT REFERENCES sessions (id), -- with device and time: leased
  device_id TEXT,
  lease_until_ns BIGINT,
  outcome TEXT,            -- with message and result: done
  message TEXT,
  result_sequence BIGINT
);
CREATE INDEX queued_items ON work_items (task_id, id) WHERE state = 'queued';
CREATE INDEX leased_items ON work_items (session_id, lease_until_ns) WHERE state = 'leased';
CREATE UNIQUE INDEX one_comparison ON work_items (task_id) WHERE kind = 'compare';

CREATE TABLE trials (
  namespace TEXT NOT NULL,
  task_id BIGINT NOT NULL REFERENCES tasks (id),
  number BIGINT NOT NULL,
  configuration_index BIGINT NOT NULL, -- the 64 bits of an unsigned number
  observed BIGINT NOT NULL,
  work_item_id BIGINT NOT NULL UNIQUE REFERENCES work_items (id),
  finished_position BIGINT,
  PRIMARY KEY (task_id, number)
);
CREATE UNIQUE INDEX finished_trials ON trials (task_id, finished_position)
  WHERE finished_position IS NOT NULL;

-- Every grant, so that a report is known again however late it comes.
CREATE TABLE attempts (
  id TEXT PRIMARY KEY,
  work_item_id BIGINT NOT NULL REFERENCES work_items (id),
  fence BIGINT NOT NULL,
  agent_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  granted_ns BIGINT NOT NULL,
  UNIQUE (work_item_id, fence)
);

CREATE TABLE environments (
  hash TEXT PRIMARY KEY,
  entries_json TEXT NOT NULL
);

-- Every reported attempt; its item and device stand with the attempt. Large columns stand last, where short reads never touch them.
CREATE TABLE results (
  sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace TEXT NOT NULL,
  attempt_id TEXT NOT NULL UNIQUE REFERENCES attempts (id),
  task_id BIGINT NOT NULL REFERENCES tasks (id),
  kind TEXT NOT NULL,
  late BOOLEAN NOT NULL,
  outcome TEXT NOT NULL,
  message TEXT NOT NULL,
  environment_hash TEXT NOT NULL REFERENCES environments (hash),
  stored_ns BIGINT NOT NULL,
  latency_json TEXT,
  correctness_json TEXT,
  details_json TEXT NOT NULL
);
CREATE INDEX results_by_task ON results (task_id, kind, sequence);
ALTER TABLE work_items ADD FOREIGN KEY (result_sequence) REFERENCES results (sequence);
-- Rows of the queue change several times in their life: leave them room, and tidy up early.
ALTER TABLE work_items SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

-- Which server drives the job, until when. The fence grows whenever another one takes it.
CREATE TABLE job_leases (
  job_id BIGINT PRIMARY KEY REFERENCES jobs (id),
  replica TEXT NOT NULL,
  fence BIGINT NOT NULL,
  until_ns BIGINT NOT NULL
);
)sql";

constexpr const char* kTokens = R"sql(
-- Rows are never removed: once there was a token, callers need one.
CREATE TABLE tokens (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE, -- SHA-256 of the secret, which is nowhere
  prefix TEXT NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  namespaces_json TEXT,      -- absent: all
  created_ns BIGINT NOT NULL,
  expires_ns BIGINT NOT NULL,
  last_used_ns BIGINT,
  revoked_ns BIGINT
);
)sql";

constexpr std::array<sql::Migration, 2> kMigrations = {{
    {1, "initial", kInitial},
    {2, "tokens", kTokens},
}};

}  // namespace

std::span<const sql::Migration> Migrations() { return kMigrations; }

}  // namespace burnish::store::postgres
