#include "agent/worker/energy_contest.h"

#include <algorithm>
#include <utility>

namespace burnish::worker {
namespace {

constexpr double kNoise = 1.1;

bool IsEnergy(spec::Metric metric) {
  return metric == spec::Metric::kEnergy || metric == spec::Metric::kPower;
}

bool HasNoise(spec::Metric metric) {
  return metric != spec::Metric::kMemory && metric != spec::Metric::kError;
}

}  // namespace

bool EnergyContest::CanWin(work::MetricValues known, double idle_watts) const {
  known[spec::Metric::kPower] = idle_watts;
  known[spec::Metric::kEnergy] = idle_watts * known.at(spec::Metric::kLatency);
  const auto beats = [&](const work::MetricValues& rival, const spec::Objective& objective) {
    if (objective.maximise && IsEnergy(objective.metric)) return false;  // has no best case
    const double margin = HasNoise(objective.metric) ? kNoise : 1;
    return work::CostOf(objective, rival) * margin <= work::CostOf(objective, known);
  };
  return std::ranges::none_of(rivals_, [&](const work::MetricValues& rival) {
    return std::ranges::all_of(goals_.objectives, [&](const spec::Objective& objective) {
      return beats(rival, objective);
    });
  });
}

void EnergyContest::Add(work::MetricValues values) {
  if (goals_.Within(values)) rivals_.push_back(std::move(values));
}

}  // namespace burnish::worker
