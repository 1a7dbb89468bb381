#include "server/auth/token_cache.h"

#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"

namespace burnish::auth {
namespace {

constexpr absl::Duration kTouchInterval = absl::Minutes(1);

bool IsToTouch(const store::Token& token, absl::Time now) {
  return !token.revoked.has_value() && token.expires > now &&
         now - token.last_used.value_or(absl::InfinitePast()) >= kTouchInterval;
}

}  // namespace

std::optional<TokenCache::Known> TokenCache::Find(const std::string& hash, absl::Duration age) {
  absl::MutexLock lock(&mutex_);
  const auto found = tokens_.find(hash);
  if (found == tokens_.end() || clock_.Monotonic() - found->second.asked > age) {
    return std::nullopt;
  }
  return Known{found->second.token};
}

absl::StatusOr<std::optional<store::Token>> TokenCache::LookUp(const std::string& hash) {
  const absl::Duration asked = clock_.Monotonic();
  ASSIGN_OR_RETURN(const std::optional<store::Token> token, store_.FindToken(hash));
  if (token.has_value() && IsToTouch(*token, store_.Now())) {
    const absl::Status touched = store_.TouchToken(token->id);
    if (!touched.ok()) Log(LogLevel::kWarning, "touch_failed", {{"status", touched.ToString()}});
  }
  absl::MutexLock lock(&mutex_);
  if (tokens_.size() >= limits::kCachedTokens) tokens_.clear();
  tokens_[hash] = {.token = token, .asked = asked};
  return token;
}

absl::StatusOr<bool> TokenCache::AnyToken() {
  const absl::Duration now = clock_.Monotonic();
  {
    absl::MutexLock lock(&mutex_);
    if (any_ || now - any_asked_ <= lifetime_) return any_;
  }
  ASSIGN_OR_RETURN(const bool any, store_.AnyToken());
  absl::MutexLock lock(&mutex_);
  any_ = any_ || any;
  any_asked_ = now;
  return any_;
}

void TokenCache::Forget() {
  absl::MutexLock lock(&mutex_);
  tokens_.clear();
  any_asked_ = -absl::InfiniteDuration();
}

}  // namespace burnish::auth
