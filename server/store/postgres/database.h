// A pool of connections to one PostgreSQL database. Thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/base/clock.h"
#include "server/store/postgres/connection.h"

namespace burnish::store::postgres {

struct DatabaseOptions {
  int connections = 8;                          // at most
  absl::Duration patience = absl::Seconds(10);  // for a free one
  // Tests: the time of leases, instead of PostgreSQL's now(). Outlives the database.
  const Clock* simulated_clock = nullptr;
};

class Database final : public sql::Database, private TimeSource {
 public:
  // Connects on demand: a database that is away for a while is no fault at the start.
  Database(Address address, DatabaseOptions options);

  absl::StatusOr<std::unique_ptr<sql::Lease>> Acquire(sql::Access access) override;
  absl::Time Now() override;
  const std::string& name() const override { return address_.name; }

 private:
  class ConnectionLease;

  bool MayTake() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !free_.empty() || in_use_ < options_.connections;
  }
  void GiveBack(std::unique_ptr<Connection> connection);
  std::optional<absl::Time> Recent() override;
  absl::Time Learn(absl::Time database_now) override;

  const Address address_;
  const DatabaseOptions options_;
  // What the database's clock was ahead of the monotonic one when it was last asked.
  std::atomic<int64_t> offset_ns_;
  std::atomic<int64_t> asked_ns_;  // when that was, by the monotonic one
  absl::Mutex mutex_;
  std::vector<std::unique_ptr<Connection>> free_ ABSL_GUARDED_BY(mutex_);
  int in_use_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace burnish::store::postgres
