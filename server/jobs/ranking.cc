#include "server/jobs/ranking.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "common/stats/clear_front.h"
#include "server/jobs/device_ratios.h"

namespace burnish::jobs {
namespace {

constexpr TrialNumber kDefaultTrial(0);

struct Contestant {
  const store::Trial* trial = nullptr;
  double seconds = 0;  // as the task's first device would have had it
  std::vector<double> costs;
};

std::vector<Contestant> ContestantsOf(std::span<const store::Trial> trials,
                                      const Criteria& criteria) {
  DeviceRatios ratios;
  std::vector<const store::Trial*> may_win;
  for (const store::Trial& trial : trials) {
    ratios.Add(trial);
    if (MayWin(trial, criteria)) may_win.push_back(&trial);
  }
  std::vector<Contestant> contestants;
  for (const store::Trial* trial : may_win) {
    const double seconds = ratios.ScaledSeconds(*trial);
    contestants.push_back({trial, seconds, CostsOf(*trial, criteria.goals, seconds)});
  }
  std::ranges::sort(contestants, {}, [](const Contestant& one) {
    return std::tuple(one.costs.front(), one.seconds, one.trial->what.number);
  });
  return contestants;
}

// Moves the front before all others, and its knee to its head; how many it has.
size_t PutFrontFirst(const work::Goals& goals, std::vector<Contestant>& contestants) {
  std::vector<std::vector<stats::Measured>> measured;
  for (const Contestant& one : contestants) {
    measured.push_back(MeasuredCostsOf(*one.trial, goals, one.seconds));
  }
  std::vector<size_t> front = stats::ClearFront(measured);
  std::vector<stats::Point> points;
  for (const size_t i : front) points.push_back(contestants[i].costs);
  if (const auto knee = stats::Knee(points)) {
    std::rotate(front.begin(), front.begin() + *knee, front.begin() + *knee + 1);
  }
  std::vector<bool> in_front(contestants.size(), false);
  std::vector<Contestant> ordered;
  for (const size_t i : front) {
    in_front[i] = true;
    ordered.push_back(contestants[i]);
  }
  for (size_t i = 0; i < contestants.size(); ++i) {
    if (!in_front[i]) ordered.push_back(std::move(contestants[i]));
  }
  contestants = std::move(ordered);
  return front.size();
}

}  // namespace

Ranking Rank(std::span<const store::Trial> trials, const Criteria& criteria) {
  std::vector<Contestant> contestants = ContestantsOf(trials, criteria);
  Ranking ranking;
  if (criteria.goals.several()) ranking.front = PutFrontFirst(criteria.goals, contestants);
  for (const Contestant& one : contestants) ranking.trials.push_back(*one.trial);
  return ranking;
}

const store::Trial* DefaultTrial(std::span<const store::Trial> trials) {
  const auto found = std::ranges::find_if(
      trials, [](const store::Trial& trial) { return trial.what.number == kDefaultTrial; });
  return found == trials.end() ? nullptr : &*found;
}

std::optional<double> HypervolumeShare(std::span<const store::Trial> front,
                                       const store::Trial* default_trial,
                                       const work::Goals& goals) {
  if (default_trial == nullptr || !default_trial->latency) return std::nullopt;
  const std::vector<double> reference =
      CostsOf(*default_trial, goals, default_trial->latency->seconds);
  // What costs nothing is no unit.
  const bool has_units =
      std::ranges::all_of(reference, [](double cost) { return std::isfinite(cost) && cost > 0; });
  if (!has_units) return std::nullopt;
  std::vector<stats::Point> points;
  for (const store::Trial& trial : front) {
    stats::Point& point = points.emplace_back(CostsOf(trial, goals, trial.latency->seconds));
    for (size_t i = 0; i < point.size(); ++i) point[i] /= reference[i];
  }
  return stats::Hypervolume(points, stats::Point(reference.size(), 1));
}

}  // namespace burnish::jobs
