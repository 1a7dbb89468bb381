#include "server/store/sqlite/database.h"

#include <utility>

#include "common/base/status_macros.h"
#include "server/store/sqlite/database_file.h"

namespace burnish::store::sqlite {
namespace {

constexpr int kReaders = 2;

}  // namespace

class Database::ConnectionLease final : public sql::Lease {
 public:
  ConnectionLease(Database& database, sql::Access access, std::unique_ptr<Connection> connection)
      : database_(database), access_(access), connection_(std::move(connection)) {}
  ~ConnectionLease() override {
    const absl::MutexLock lock(&database_.mutex_);
    database_.FreeOf(access_).push_back(std::move(connection_));
  }
  sql::Connection& connection() override { return *connection_; }
  // A connection to a file does not break.
  void Discard() override {}

 private:
  Database& database_;
  const sql::Access access_;
  std::unique_ptr<Connection> connection_;
};

absl::StatusOr<std::unique_ptr<Database>> Database::Open(const std::string& path,
                                                         const Clock& clock) {
  UniqueFd lock;
  const bool in_memory = path == kInMemory;
  if (!in_memory) {
    RETURN_IF_ERROR(MakeDatabaseFile(path));
    ASSIGN_OR_RETURN(lock, LockDatabase(path));
  }
  std::unique_ptr<Database> database(new Database(path, clock, std::move(lock)));
  ASSIGN_OR_RETURN(std::unique_ptr<Connection> writer, Connection::Open(path, database->clock_));
  const absl::MutexLock in_order(&database->mutex_);
  database->free_writer_.push_back(std::move(writer));
  for (int i = 0; !in_memory && i < kReaders; ++i) {
    ASSIGN_OR_RETURN(std::unique_ptr<Connection> reader, Connection::Open(path, database->clock_));
    database->free_readers_.push_back(std::move(reader));
  }
  database->has_readers_ = !in_memory;
  return database;
}

absl::StatusOr<std::unique_ptr<sql::Lease>> Database::Acquire(sql::Access access) {
  const absl::MutexLock lock(&mutex_);
  Connections& free = FreeOf(access);
  mutex_.Await(absl::Condition(
      +[](Connections* waiting) { return !waiting->empty(); }, &free));
  std::unique_ptr<Connection> connection = std::move(free.back());
  free.pop_back();
  return std::make_unique<ConnectionLease>(*this, access, std::move(connection));
}

}  // namespace burnish::store::sqlite
