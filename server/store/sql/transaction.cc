#include "server/store/sql/transaction.h"

#include "common/base/clock.h"

namespace burnish::store::sql {

bool Tries::Again(const Failure& failure) {
  switch (failure.kind()) {
    case Failure::Kind::kFinal:
      return false;
    case Failure::Kind::kConflict:
      // The other one is short: let it end.
      if (++conflicts_ == kConflictTries) return false;
      SleepThread(absl::Milliseconds(conflicts_));
      return true;
    case Failure::Kind::kBroken:
      return ++broken_ < kBrokenTries;
  }
  return false;
}

}  // namespace burnish::store::sql
