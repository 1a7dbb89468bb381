// The service under test: a real burnish-server of this build tree on a fresh database, or two of
// them on one PostgreSQL; jobs for its agents; and what it costs, seen from outside.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "burnish/v1/job_service.grpc.pb.h"
#include "tests/e2e/harness.h"
#include "tests/support/postgres_server.h"

namespace burnish::bench {

enum class DatabaseKind { kSqlite, kPostgres };
const char* NameOf(DatabaseKind kind);  // "sqlite"

// An empty database with the newest schema, on the file system of the temporary folder.
class Database {
 public:
  explicit Database(DatabaseKind kind);
  DatabaseKind kind() const {
    return postgres_ == nullptr ? DatabaseKind::kSqlite : DatabaseKind::kPostgres;
  }
  // What --database takes.
  std::string flag() const;
  const e2e::TemporaryFolder& folder() const { return folder_; }
  // PostgreSQL: what its shell prints.
  std::string Sql(const std::string& sql);

 private:
  const e2e::TemporaryFolder folder_;
  std::unique_ptr<tests::PostgresServer> postgres_;
};

// What a server's metrics say by now.
struct Counts {
  std::map<std::string, double> store_calls;  // by name: how many
  std::map<double, double> dispatches;        // by the upper bound in seconds, cumulated
};
Counts ParseMetrics(const std::string& text);

class Server {
 public:
  explicit Server(const Database& database);
  ~Server();
  const std::string& address() const { return address_; }
  pid_t pid() const { return program_->pid(); }
  // User and system time so far.
  absl::Duration CpuTime() const;
  int64_t ResidentBytes() const;
  std::string Metrics() const;
  // Submits a job of the agent with this number: a large space, random, unverified, its budget
  // beyond what a run reaches. Fails a CHECK if it is refused.
  void SubmitJob(int agent);

 private:
  std::string log_path_;
  std::optional<e2e::Program> program_;
  std::string address_;
  std::string http_address_;
  std::unique_ptr<v1::JobService::Stub> jobs_;
};

}  // namespace burnish::bench
