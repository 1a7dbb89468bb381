#include "server/jobs/stopping_rules.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/jobs/finalists.h"

namespace burnish::jobs {

void StoppingRules::Observe(const store::Trial& trial, double scaled_seconds) {
  device_seconds_ += trial.device_seconds;
  const bool may_win = MayWin(trial, verified_only_);
  if (may_win) {
    best_seconds_ =
        std::min(best_seconds_.value_or(trial.latency->seconds), trial.latency->seconds);
  }
  if (may_win && (!mark_seconds_ || scaled_seconds < *mark_seconds_ * (1 - kImprovement))) {
    mark_seconds_ = scaled_seconds;
    since_mark_ = 0;
  } else if (mark_seconds_) {
    ++since_mark_;
  }
  if (!reason_) reason_ = Decide();
}

std::optional<std::string> StoppingRules::Decide() const {
  if (budget_.target_seconds && best_seconds_ && *best_seconds_ <= *budget_.target_seconds) {
    return "target reached";
  }
  if (budget_.patience && since_mark_ >= *budget_.patience) {
    return absl::StrCat("no better kernel in ", *budget_.patience,
                        *budget_.patience == 1 ? " trial" : " trials");
  }
  if (budget_.device_seconds && device_seconds_ >= *budget_.device_seconds) {
    return "device time spent";
  }
  return std::nullopt;
}

}  // namespace burnish::jobs
