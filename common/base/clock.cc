#include "common/base/clock.h"

#include <chrono>

#include "absl/time/clock.h"

namespace burnish {
namespace {

class RealClock : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }
  absl::Duration Monotonic() const override {
    return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
  }
};

}  // namespace

const Clock& SystemClock() {
  static const RealClock* const clock = new RealClock;
  return *clock;
}

absl::Time SimulatedClock::Now() const {
  absl::MutexLock lock(&mutex_);
  return now_;
}

absl::Duration SimulatedClock::Monotonic() const {
  absl::MutexLock lock(&mutex_);
  return monotonic_;
}

void SimulatedClock::Advance(absl::Duration by) {
  absl::MutexLock lock(&mutex_);
  now_ += by;
  monotonic_ += by;
}

void SleepThread(absl::Duration duration) { absl::SleepFor(duration); }

}  // namespace burnish
