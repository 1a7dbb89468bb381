#include "server/monitor/database_watch.h"

#include "absl/strings/str_cat.h"

namespace burnish::server {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(5);

}  // namespace

DatabaseWatch::DatabaseWatch(Readiness& readiness, const Clock& clock)
    : readiness_(readiness), clock_(clock), last_good_(clock.Monotonic()) {}

void DatabaseWatch::RoundEnded(const absl::Status& status) {
  absl::MutexLock lock(&mutex_);
  last_fault_ = status;
  if (status.ok()) last_good_ = clock_.Monotonic();
}

void DatabaseWatch::Check() {
  std::string reason;
  {
    absl::MutexLock lock(&mutex_);
    const absl::Duration silence = clock_.Monotonic() - last_good_;
    if (silence > kPatience) {
      reason = absl::StrCat("no answer for ", absl::ToInt64Seconds(silence), " s");
      if (!last_fault_.ok()) absl::StrAppend(&reason, " (", last_fault_.message(), ")");
    }
  }
  readiness_.Set("database", reason);
}

}  // namespace burnish::server
