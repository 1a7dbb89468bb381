// The SQLite database behind the store: one connection that writes, and a few that read beside it
// (in memory, one for both). Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/base/unique_fd.h"
#include "server/store/sqlite/connection.h"
#include "server/store/sqlite/lease_clock.h"

namespace burnish::store::sqlite {

class Database final : public sql::Database {
 public:
  // Makes the file if it is not there, and owns it for as long as this lives. `clock` outlives it.
  static absl::StatusOr<std::unique_ptr<Database>> Open(const std::string& path,
                                                        const Clock& clock);

  absl::StatusOr<std::unique_ptr<sql::Lease>> Acquire(sql::Access access) override;
  absl::Time Now() override { return clock_.Now(); }
  const std::string& name() const override { return path_; }

 private:
  class ConnectionLease;
  using Connections = std::vector<std::unique_ptr<Connection>>;

  Database(std::string path, const Clock& clock, UniqueFd lock)
      : path_(std::move(path)), clock_(clock), lock_(std::move(lock)) {}
  Connections& FreeOf(sql::Access access) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !sql::IsWrite(access) && has_readers_ ? free_readers_ : free_writer_;
  }

  const std::string path_;
  const LeaseClock clock_;
  const UniqueFd lock_;
  bool has_readers_ = false;  // set once, while opening
  absl::Mutex mutex_;
  Connections free_writer_ ABSL_GUARDED_BY(mutex_);
  Connections free_readers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace burnish::store::sqlite
