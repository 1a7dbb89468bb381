#include "server/search/parego.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/base/random.h"
#include "server/search/promise.h"

namespace burnish::search {
namespace {

constexpr double kAugmentation = 0.05;  // share of the sum beside the largest (Knowles)

// Uniform over all that sum to 1.
std::vector<double> DrawWeights(size_t objectives, RandomStream& random) {
  std::vector<double> weights(objectives);
  double sum = 0;
  for (double& weight : weights) {
    weight = -std::log1p(-random.UniformReal());
    sum += weight;
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// By trial, as TrialLog's costs are.
std::vector<double> Scalarised(const TrialLog& trials, const std::vector<double>& weights) {
  std::vector<double> largest = trials.log_costs();
  std::vector<double> sum = trials.log_costs();
  for (size_t i = 0; i < trials.size(); ++i) {
    if (std::isfinite(sum[i])) largest[i] = sum[i] = 0;
  }
  for (size_t objective = 0; objective < weights.size(); ++objective) {
    const std::vector<double>& costs = trials.log_costs(objective);
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (const double cost : costs) {
      if (!std::isfinite(cost)) continue;
      least = std::min(least, cost);
      most = std::max(most, cost);
    }
    const double scale = most > least ? weights[objective] / (most - least) : 0;
    for (size_t i = 0; i < trials.size(); ++i) {
      if (!std::isfinite(costs[i])) continue;
      const double weighted = scale * (costs[i] - least);
      largest[i] = std::max(largest[i], weighted);
      sum[i] += weighted;
    }
  }
  for (size_t i = 0; i < trials.size(); ++i) largest[i] += kAugmentation * sum[i];
  return largest;
}

}  // namespace

ParegoStrategy::ParegoStrategy(const StrategyContext& context)
    : space_(*context.space),
      seed_(context.seed),
      exploration_(context.exploration),
      known_(*context.space),
      trials_(context.objectives),
      surrogate_(*context.space) {
  exploration_.margin = 0;  // what is far below under one weighing is no plateau under the next
}

std::optional<space::ConfigurationIndex> ParegoStrategy::Propose(TrialNumber number) {
  if (known_.Full()) return std::nullopt;
  RandomStream random(seed_, "parego", static_cast<uint64_t>(number.value()));
  std::optional<Choice> choice;
  if (known_.size() >= exploration_.samples && trials_.successes() >= kSuccessesToModel) {
    const std::vector<double> weights = DrawWeights(trials_.objectives(), random);
    const TrialLog weighed = trials_.WithLogCosts(Scalarised(trials_, weights));
    choice = MostPromising(space_, known_, weighed, exploration_, surrogate_, random);
  }
  const space::ConfigurationIndex next = choice ? choice->index : known_.DrawCovering(random);
  Adopt(number, next);
  return next;
}

void ParegoStrategy::Adopt(TrialNumber, space::ConfigurationIndex index) {
  known_.Insert(index);
  trials_.Add(index);
}

void ParegoStrategy::Observe(std::span<const Observation> observations) {
  trials_.Observe(observations);
}

std::unique_ptr<Strategy> MakeParego(const StrategyContext& context) {
  return std::make_unique<ParegoStrategy>(context);
}

}  // namespace burnish::search
