#include "agent/worker/contest.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/base/status_macros.h"

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

double LeastWithoutPause(const Task& task, double latency_seconds) {
  const bool changes = std::ranges::any_of(task.arguments(), [](const spec::Argument& argument) {
    return argument.is_buffer && argument.role == spec::Role::kInout;
  });
  return changes || task.definition().measure.cache == spec::CacheState::kCold ? 0
                                                                               : latency_seconds;
}

bool Contest::CanWin(work::MetricValues known, double idle_watts, double least_seconds) const {
  known.try_emplace(spec::Metric::kPower, idle_watts);
  known.try_emplace(spec::Metric::kEnergy, idle_watts * least_seconds);
  known.try_emplace(spec::Metric::kSustained, least_seconds);
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

absl::StatusOr<Contest*> ContestOf(const Task& task) {
  static auto* const hash_of = new TaskHash;
  static auto* const contest = new std::optional<Contest>;
  const TaskHash hash = work::HashOf(task.definition());
  if (!*contest || *hash_of != hash) {
    ASSIGN_OR_RETURN(work::Goals goals, work::ReadGoals(task.definition().costly_goals));
    contest->emplace(std::move(goals));
    *hash_of = hash;
  }
  return &**contest;
}

void Contest::Add(work::MetricValues values) {
  if (goals_.Within(values)) rivals_.push_back(std::move(values));
}

}  // namespace burnish::worker
