// The clock of leases in a database that has none of its own: anchored at the wall time of opening,
// so that a step of the machine's clock neither ends nor prolongs leases. Thread-safe.
#pragma once

#include "absl/time/time.h"
#include "common/base/clock.h"

namespace burnish::store::sqlite {

class LeaseClock {
 public:
  explicit LeaseClock(const Clock& clock)
      : clock_(clock), opened_at_(clock.Now()), opened_monotonic_(clock.Monotonic()) {}
  absl::Time Now() const { return opened_at_ + (clock_.Monotonic() - opened_monotonic_); }

 private:
  const Clock& clock_;
  const absl::Time opened_at_;
  const absl::Duration opened_monotonic_;
};

}  // namespace burnish::store::sqlite
