#include "server/auth/failed_tries.h"

#include <algorithm>

#include "common/base/limits.h"

namespace burnish::auth {
namespace {

constexpr absl::Duration kWindow = absl::Minutes(1);
constexpr absl::Duration kLookInterval = absl::Seconds(1);

}  // namespace

FailedTries::Tries* FailedTries::Find(const std::string& peer) {
  const auto found = peers_.find(peer);
  if (found == peers_.end()) return nullptr;
  if (clock_.Monotonic() - found->second.since < kWindow) return &found->second;
  peers_.erase(found);
  return nullptr;
}

bool FailedTries::Add(const std::string& peer) {
  absl::MutexLock lock(&mutex_);
  Tries* tries = Find(peer);
  if (tries == nullptr) {
    MakeRoom();
    tries = &peers_[peer];
    tries->since = clock_.Monotonic();
  }
  if (tries->count >= limits::kFailedTriesPerMinute) return false;
  ++tries->count;
  return true;
}

bool FailedTries::MayLookUp(const std::string& peer) {
  absl::MutexLock lock(&mutex_);
  Tries* tries = Find(peer);
  if (tries == nullptr || tries->count < limits::kFailedTriesPerMinute) return true;
  const absl::Duration now = clock_.Monotonic();
  if (now - tries->last_look < kLookInterval) return false;
  tries->last_look = now;
  return true;
}

void FailedTries::MakeRoom() {
  if (peers_.size() < limits::kPeersWithFailedTries) return;
  const absl::Duration now = clock_.Monotonic();
  std::erase_if(peers_, [&](const auto& peer) { return now - peer.second.since >= kWindow; });
  if (peers_.size() < limits::kPeersWithFailedTries) return;
  peers_.erase(
      std::ranges::min_element(peers_, {}, [](const auto& peer) { return peer.second.since; }));
}

}  // namespace burnish::auth
