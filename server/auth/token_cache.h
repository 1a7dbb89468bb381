// The tokens of the store as a server knows them: looked up by hash and believed for a few seconds,
// so that a revocation holds everywhere by then. Thread-safe; bounded in memory.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "server/store/store.h"

namespace burnish::auth {

class TokenCache {
 public:
  // Both outlive the cache. Nothing older than `lifetime` is believed.
  TokenCache(store::Store& store, const Clock& clock, absl::Duration lifetime)
      : store_(store), clock_(clock), lifetime_(lifetime) {}

  // What the store said of a hash, at most `age` ago.
  struct Known {
    std::optional<store::Token> token;  // absent: the hash is no token's
  };
  std::optional<Known> Find(const std::string& hash, absl::Duration age);
  // Asks the store. A token in force counts as used.
  absl::StatusOr<std::optional<store::Token>> LookUp(const std::string& hash);
  // Whether there ever was a token.
  absl::StatusOr<bool> AnyToken();
  // One was made or revoked on this server.
  void Forget();

  absl::Duration lifetime() const { return lifetime_; }

 private:
  struct Entry {
    std::optional<store::Token> token;
    absl::Duration asked;  // monotonic
  };

  store::Store& store_;
  const Clock& clock_;
  const absl::Duration lifetime_;
  absl::Mutex mutex_;
  std::map<std::string, Entry> tokens_ ABSL_GUARDED_BY(mutex_);  // by hash
  bool any_ ABSL_GUARDED_BY(mutex_) = false;                     // once true, true for ever
  absl::Duration any_asked_ ABSL_GUARDED_BY(mutex_) = -absl::InfiniteDuration();
};

}  // namespace burnish::auth
