#include "server/store/postgres/database.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace burnish::store::postgres {
namespace {

// Two clocks of machines drift apart by microseconds in this time; asking costs a round trip.
constexpr absl::Duration kAskAgain = absl::Seconds(1);

}  // namespace

class Database::ConnectionLease final : public sql::Lease {
 public:
  ConnectionLease(Database& database, std::unique_ptr<Connection> connection)
      : database_(database), connection_(std::move(connection)) {}
  ~ConnectionLease() override { database_.GiveBack(discarded_ ? nullptr : std::move(connection_)); }
  sql::Connection& connection() override { return *connection_; }
  void Discard() override { discarded_ = true; }

 private:
  Database& database_;
  std::unique_ptr<Connection> connection_;
  bool discarded_ = false;
};

Database::Database(Address address, DatabaseOptions options)
    : address_(std::move(address)),
      options_(options),
      offset_ns_(absl::ToUnixNanos(SystemClock().Now()) -
                 absl::ToInt64Nanoseconds(SystemClock().Monotonic())),
      asked_ns_(absl::ToInt64Nanoseconds(SystemClock().Monotonic() - 2 * kAskAgain)) {}

absl::StatusOr<std::unique_ptr<sql::Lease>> Database::Acquire(sql::Access access) {
  std::unique_ptr<Connection> connection;
  {
    const absl::MutexLock lock(&mutex_);
    const bool taken = mutex_.AwaitWithTimeout(
        absl::Condition(
            +[](Database* database) ABSL_NO_THREAD_SAFETY_ANALYSIS { return database->MayTake(); },
            this),
        options_.patience);
    if (!taken) {
      return absl::UnavailableError(absl::StrCat("database ", address_.name, ": all ",
                                                 options_.connections, " connections are in use"));
    }
    ++in_use_;
    if (!free_.empty()) {
      connection = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (connection == nullptr) {
    auto opened = Connection::Open(address_, *this);
    if (!opened.ok()) {
      GiveBack(nullptr);
      return opened.status();
    }
    connection = *std::move(opened);
  }
  return std::make_unique<ConnectionLease>(*this, std::move(connection));
}

void Database::GiveBack(std::unique_ptr<Connection> connection) {
  std::vector<std::unique_ptr<Connection>> broken;  // closed outside the lock
  const absl::MutexLock lock(&mutex_);
  --in_use_;
  if (connection != nullptr) {
    free_.push_back(std::move(connection));
  } else {
    // The others broke with it, or will be made anew quickly.
    broken.swap(free_);
  }
}

std::optional<absl::Time> Database::Recent() {
  if (options_.simulated_clock != nullptr) return options_.simulated_clock->Now();
  const absl::Duration age = SystemClock().Monotonic() - absl::Nanoseconds(asked_ns_.load());
  if (age > kAskAgain) return std::nullopt;
  return Now();
}

absl::Time Database::Learn(absl::Time database_now) {
  const int64_t now = absl::ToInt64Nanoseconds(SystemClock().Monotonic());
  offset_ns_ = absl::ToUnixNanos(database_now) - now;
  asked_ns_ = now;
  return database_now;
}

absl::Time Database::Now() {
  if (options_.simulated_clock != nullptr) return options_.simulated_clock->Now();
  return absl::FromUnixNanos(offset_ns_) + SystemClock().Monotonic();
}

}  // namespace burnish::store::postgres
