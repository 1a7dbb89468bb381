#include "server/monitor/database_watch.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace burnish::server {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(5);

}  // namespace

DatabaseWatch::DatabaseWatch(Readiness& readiness, const Clock& clock, std::string condition,
                             Rounds rounds)
    : readiness_(readiness),
      clock_(clock),
      condition_(std::move(condition)),
      rounds_(rounds),
      last_good_(clock.Monotonic()) {}

void DatabaseWatch::RoundEnded(const absl::Status& status) {
  absl::MutexLock lock(&mutex_);
  last_round_ = status;
  if (status.ok()) last_good_ = clock_.Monotonic();
}

void DatabaseWatch::Check() {
  std::string reason;
  {
    absl::MutexLock lock(&mutex_);
    const absl::Duration silence = clock_.Monotonic() - last_good_;
    const bool is_busy = last_round_.ok() && rounds_ == Rounds::kMayBeLong;
    if (silence > kPatience && !is_busy) {
      const std::string duration = absl::StrCat(" for ", absl::ToInt64Seconds(silence), " s");
      reason = last_round_.ok()
                   ? absl::StrCat("no answer", duration)
                   : absl::StrCat("failing", duration, " (", last_round_.message(), ")");
    }
  }
  readiness_.Set(condition_, reason);
}

}  // namespace burnish::server
