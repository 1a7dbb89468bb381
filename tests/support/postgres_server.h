// A PostgreSQL server of a test's own: a fresh cluster in a temporary folder, reached by a socket
// there, run as the user `postgres` when the test is root (PostgreSQL refuses root). Gone with its
// folder when this goes out of scope, and with the test if that is killed. Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/subprocess.h"

namespace burnish::tests {

class PostgresServer {
 public:
  // `settings` are lines of postgresql.conf ("fsync = off").
  static absl::StatusOr<std::unique_ptr<PostgresServer>> Start(
      const std::vector<std::string>& settings = {});
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;

  // Of the default database, or of one made by CreateDatabase. With a standby it names both, and
  // leads to the one that can be written.
  std::string Url(const std::string& database = "postgres") const;
  absl::Status CreateDatabase(const std::string& name);
  // Runs SQL through psql; what it prints, without headers.
  absl::StatusOr<std::string> Sql(const std::string& sql, const std::string& database = "postgres");

  pid_t pid() const { return server_.pid(); }
  // `kill -9` of the postmaster; its backends notice and end.
  void KillHard();
  // Starts it again on the same data.
  absl::Status Restart();

  // A second server that follows this one; from now on a commit waits until it has it, too.
  absl::StatusOr<std::unique_ptr<PostgresServer>> StartStandby();
  // The standby becomes a server of its own.
  absl::Status Promote() { return Sql("SELECT pg_promote()").status(); }

 private:
  explicit PostgresServer(std::string folder) : folder_(std::move(folder)) {}
  static absl::StatusOr<std::unique_ptr<PostgresServer>> InNewFolder();
  absl::Status Initialise(const std::vector<std::string>& settings);
  absl::Status Run();

  const std::string folder_;
  std::string standby_folder_;  // empty: none
  ChildProcess server_;
};

}  // namespace burnish::tests
