#include "server/search/gradient.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "common/space/neighbours.h"
#include "server/costmodel/acquisition.h"
#include "server/search/log_targets.h"
#include "server/search/promise.h"

namespace burnish::search {
namespace {

// First guesses, not tuned.
constexpr size_t kFromFastest = 3;
constexpr size_t kFromDraws = 5;
constexpr int kSteps = 15;
constexpr double kFirstStep = 0.1;
constexpr double kLeastStep = 0.005;
constexpr double kLargestStep = 0.3;

constexpr double kLeastDeviation = 1e-4;  // at a trial itself

double Promise(const costmodel::Posterior::Belief& belief, double best) {
  const double deviation = std::max(std::sqrt(belief.variance), kLeastDeviation);
  return costmodel::LogExpectedImprovement(belief.mean, deviation, best);
}

}  // namespace

GradientStrategy::GradientStrategy(const StrategyContext& context)
    : space_(*context.space),
      seed_(context.seed),
      exploration_(context.exploration),
      known_(*context.space),
      surrogate_(*context.space, CandidatePool::Source::kInserted) {}

std::optional<space::ConfigurationIndex> GradientStrategy::Propose(TrialNumber number) {
  if (known_.Full()) return std::nullopt;
  RandomStream random(seed_, "gradient", static_cast<uint64_t>(number.value()));
  std::optional<space::ConfigurationIndex> next;
  if (known_.size() >= exploration_.samples && trials_.successes() >= kSuccessesToModel)
    next = Climb(random);
  if (!next) next = known_.DrawCovering(random);
  Adopt(number, *next);
  return next;
}

std::optional<space::ConfigurationIndex> GradientStrategy::Climb(RandomStream& random) {
  const LogTargets targets = Standardise(trials_.log_costs());
  surrogate_.Update(trials_, targets.targets, random);
  std::vector<space::ConfigurationIndex> starts;
  for (const size_t trial : trials_.Fastest(kFromFastest)) {
    starts.push_back(trials_.indices()[trial]);
  }
  for (size_t i = 0; i < kFromDraws; ++i) starts.push_back(space_.Sample(random));
  const auto promise = [&](space::ConfigurationIndex index) {
    return Promise(surrogate_.At(surrogate_.Encode(index)), targets.best);
  };
  std::vector<std::pair<double, space::ConfigurationIndex>> tops;
  for (const space::ConfigurationIndex start : starts) {
    const auto top = Rounded(TopFrom(surrogate_.Encode(start), targets.best), random);
    tops.emplace_back(promise(top), top);
  }
  std::ranges::sort(tops, std::greater<>());
  // Rounding may have missed the best place by a step.
  for (const auto& [_, top] : tops) {
    std::vector<space::ConfigurationIndex> near = space::HammingNeighbours(space_, top);
    near.push_back(top);
    std::erase_if(near, [&](auto index) { return known_.Contains(index); });
    if (!near.empty()) return std::ranges::max(near, {}, promise);
  }
  return std::nullopt;
}

Eigen::VectorXd GradientStrategy::TopFrom(Eigen::VectorXd point, double best) const {
  const Eigen::Index dimensions = point.size();
  Eigen::VectorXd top = point;
  double most = -INFINITY;
  Eigen::VectorXd step = Eigen::VectorXd::Constant(dimensions, kFirstStep);
  Eigen::VectorXd last = Eigen::VectorXd::Zero(dimensions);
  for (int i = 0; i < kSteps; ++i) {
    const costmodel::Posterior::Belief belief = surrogate_.At(point, /*gradient=*/true);
    const double promise = Promise(belief, best);
    if (promise > most) {
      most = promise;
      top = point;
    }
    const double deviation = std::max(std::sqrt(belief.variance), kLeastDeviation);
    const costmodel::PromiseSlope slope =
        costmodel::SlopeOfLogExpectedImprovement(belief.mean, deviation, best);
    const Eigen::VectorXd gradient =
        slope.by_mean * belief.mean_gradient +
        slope.by_deviation / (2 * deviation) * belief.variance_gradient;
    for (Eigen::Index j = 0; j < dimensions; ++j) {
      const double agreement = gradient(j) * last(j);
      if (agreement != 0) step(j) *= agreement > 0 ? 1.3 : 0.5;
      step(j) = std::clamp(step(j), kLeastStep, kLargestStep);
      const double direction = gradient(j) > 0 ? 1 : gradient(j) < 0 ? -1 : 0;
      point(j) = std::clamp(point(j) + direction * step(j), 0.0, 1.0);
    }
    last = gradient;
  }
  return top;
}

space::ConfigurationIndex GradientStrategy::Rounded(const Eigen::VectorXd& point,
                                                    RandomStream& random) const {
  std::vector<std::vector<double>> distances;  // by parameter and value, squared
  for (const space::Parameter& parameter : space_.parameters()) {
    distances.emplace_back(parameter.values.size(), 0);
  }
  Eigen::Index i = 0;
  for (const costmodel::Encoding::Coordinate& coordinate : surrogate_.encoding().coordinates()) {
    std::vector<double>& of_value = distances[coordinate.parameter];
    for (size_t value = 0; value < of_value.size(); ++value) {
      of_value[value] += std::pow(coordinate.of_value[value] - point(i), 2);
    }
    ++i;
  }
  space::Row row(space_.layout().words(), 0);
  for (size_t p = 0; p < distances.size(); ++p) {
    space_.layout().Set(row.data(), p,
                        std::ranges::min_element(distances[p]) - distances[p].begin());
  }
  return space::Repair(space_, row, random);
}

void GradientStrategy::Adopt(TrialNumber, space::ConfigurationIndex index) {
  known_.Insert(index);
  trials_.Add(index);
}

void GradientStrategy::Observe(std::span<const Observation> observations) {
  trials_.Observe(observations);
}

std::unique_ptr<Strategy> MakeGradient(const StrategyContext& context) {
  return std::make_unique<GradientStrategy>(context);
}

}  // namespace burnish::search
