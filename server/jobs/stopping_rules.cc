#include "server/jobs/stopping_rules.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/stats/pareto.h"

namespace burnish::jobs {

bool StoppingRules::Improves(const std::vector<double>& costs) {
  const auto improved = [&](const std::vector<double>& mark) {
    for (size_t i = 0; i < mark.size(); ++i) {
      if (costs[i] < mark[i] * (1 - kImprovement)) return true;
    }
    return false;
  };
  if (!std::ranges::all_of(marks_, improved)) return false;
  std::erase_if(marks_,
                [&](const std::vector<double>& mark) { return stats::Dominates(costs, mark); });
  marks_.push_back(costs);
  return true;
}

void StoppingRules::Observe(const store::Trial& trial, const std::vector<double>& costs) {
  device_seconds_ += trial.device_seconds;
  const bool may_win = MayWin(trial, criteria_);
  if (may_win) {
    best_seconds_ =
        std::min(best_seconds_.value_or(trial.latency->seconds), trial.latency->seconds);
  }
  if (may_win && Improves(costs)) {
    since_mark_ = 0;
  } else if (!marks_.empty()) {
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
