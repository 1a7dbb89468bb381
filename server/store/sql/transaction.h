// Runs a function as one transaction: committed if it returns OK, undone if not. Failures of the
// database become its status.
//
// A transaction that lost against another one, or whose connection broke, is run again: the whole
// function, so it must not keep anything from an earlier run. After a broken commit nobody knows
// whether it happened; every function run here may therefore be repeated without harm.
#pragma once

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/telemetry/metrics.h"
#include "server/store/sql/connection.h"

namespace burnish::store::sql {

inline constexpr int kConflictTries = 8;
inline constexpr int kBrokenTries = 2;  // the second one on a new connection

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

// Counts the runs of one transaction; tells whether another one makes sense.
class Tries {
 public:
  bool Again(const Failure& failure);

 private:
  int conflicts_ = 0;
  int broken_ = 0;
};

// Counts a connection as in use for as long as it lives.
class InUse {
 public:
  explicit InUse(const telemetry::Gauge& gauge) : gauge_(gauge) { gauge_.Add(1); }
  ~InUse() { gauge_.Add(-1); }
  InUse(const InUse&) = delete;

 private:
  const telemetry::Gauge gauge_;
};

template <typename Body>
auto RunInTransaction(Database& database, Access access, const Body& body,
                      const telemetry::Gauge& connections_in_use = {})
    -> decltype(body(std::declval<Connection&>())) {
  for (Tries tries;;) {
    absl::StatusOr<std::unique_ptr<Lease>> lease = database.Acquire(access);
    if (!lease.ok()) return lease.status();
    const InUse in_use(connections_in_use);
    Connection& connection = (*lease)->connection();
    try {
      connection.Begin(access);
      auto result = body(connection);
      if (StatusOf(result).ok()) {
        connection.Commit();
      } else {
        connection.RollBack();
      }
      return result;
    } catch (const Failure& failure) {
      if (failure.kind() == Failure::Kind::kBroken) {
        (*lease)->Discard();
      } else {
        connection.RollBack();
      }
      if (!tries.Again(failure)) return failure.status();
    }
  }
}

}  // namespace burnish::store::sql
