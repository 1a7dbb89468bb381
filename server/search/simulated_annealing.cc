#include "server/search/simulated_annealing.h"

#include <algorithm>
#include <cmath>

#include "common/base/random.h"
#include "common/space/neighbours.h"

namespace burnish::search {
namespace {

// Chosen on measured spaces of GPU kernels, where first temperatures from 0.01 to 0.1, patience
// from 20 on, and any share of moves with repair up to 0.3 make no difference beyond the noise;
// hotter chains find less.
constexpr uint64_t kSamples = 10;
constexpr double kFirstTemperature = 0.05;  // relative slowdown
constexpr double kLastTemperature = 0.001;
constexpr double kShareWithOtherValue = 0.1;
constexpr int kPatience = 40;  // trials of a chain without anything faster

}  // namespace

SimulatedAnnealingStrategy::SimulatedAnnealingStrategy(const StrategyContext& context)
    : space_(*context.space),
      seed_(context.seed),
      budget_trials_(std::max<int64_t>(context.budget_trials, 1)),
      known_(*context.space) {}

std::optional<space::ConfigurationIndex> SimulatedAnnealingStrategy::Propose(TrialNumber number) {
  if (known_.Full()) return std::nullopt;
  RandomStream random(seed_, "simulated_annealing", static_cast<uint64_t>(number.value()));
  Pending pending{.chain = chain_};
  std::optional<space::ConfigurationIndex> next;
  if (known_.size() < kSamples || !current_) {
    next = known_.DrawCovering(random);
  } else {
    pending.largest_slowdown = -TemperatureAt(number) * std::log(1 - random.UniformReal());
    if (without_gain_ < kPatience) next = Step(random);
  }
  if (!next) {
    next = known_.DrawUnknown(random);
    ++pending.chain;
  }
  known_.Insert(*next);
  pending_[*next] = pending;
  return next;
}

void SimulatedAnnealingStrategy::Adopt(TrialNumber, space::ConfigurationIndex index) {
  known_.Insert(index);
  pending_[index] = {.chain = chain_};
}

void SimulatedAnnealingStrategy::Observe(std::span<const Observation> observations) {
  for (const Observation& observation : observations) {
    const auto found = pending_.find(observation.index);
    const Pending pending = found == pending_.end() ? Pending() : found->second;
    if (found != pending_.end()) pending_.erase(found);
    if (pending.chain == chain_) ++without_gain_;
    if (!Succeeded(observation)) continue;
    const Point point{observation.index, observation.cost()};
    const bool is_best = !best_ || point.cost < best_->cost;
    if (is_best) best_ = point;
    const bool starts = pending.chain > chain_;
    if (starts) chain_ = pending.chain;
    const auto accepts = [&](double slowdown) {
      return is_best || starts || !current_ ||
             (pending.chain == chain_ && point.cost < current_->cost * (1 + slowdown));
    };
    if (accepts(0)) without_gain_ = 0;
    if (accepts(pending.largest_slowdown)) current_ = point;
  }
}

double SimulatedAnnealingStrategy::TemperatureAt(TrialNumber number) const {
  const double spent =
      std::min(1.0, static_cast<double>(number.value()) / static_cast<double>(budget_trials_));
  return kFirstTemperature * std::pow(kLastTemperature / kFirstTemperature, spent);
}

std::optional<space::ConfigurationIndex> SimulatedAnnealingStrategy::Step(
    RandomStream& random) const {
  if (random.UniformReal() < kShareWithOtherValue) {
    const space::ConfigurationIndex other = space::WithRandomValue(space_, current_->index, random);
    if (!known_.Contains(other)) return other;
  }
  return known_.DrawNeighbour(current_->index, random);
}

std::unique_ptr<Strategy> MakeSimulatedAnnealing(const StrategyContext& context) {
  return std::make_unique<SimulatedAnnealingStrategy>(context);
}

}  // namespace burnish::search
