#include "server/private/hold_registry.h"

namespace burnish::server {

HoldRegistry::HoldRegistry(const Clock& clock, HoldOptions options)
    : clock_(clock), options_(options), ends_at_(clock.Monotonic() + options.first_hold) {}

bool HoldRegistry::Begin(const std::string& hold_id) {
  absl::MutexLock lock(&mutex_);
  if (ending_) return false;
  ++streams_[hold_id];
  return true;
}

bool HoldRegistry::End(const std::string& hold_id) {
  absl::MutexLock lock(&mutex_);
  const auto hold = streams_.find(hold_id);
  if (hold == streams_.end() || --hold->second > 0) return false;
  streams_.erase(hold);
  ends_at_ = clock_.Monotonic() + options_.linger;
  return true;
}

bool HoldRegistry::IsHeld(const std::string& hold_id) {
  absl::MutexLock lock(&mutex_);
  return streams_.contains(hold_id);
}

bool HoldRegistry::TryEndServer() {
  absl::MutexLock lock(&mutex_);
  if (streams_.empty() && clock_.Monotonic() >= ends_at_) ending_ = true;
  return ending_;
}

}  // namespace burnish::server
