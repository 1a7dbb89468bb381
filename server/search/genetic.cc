#include "server/search/genetic.h"

#include <algorithm>

#include "common/base/random.h"
#include "common/space/neighbours.h"

namespace burnish::search {
namespace {
// Chosen on measured spaces of GPU kernels. A population of twenty or tournaments of two find less
// within two hundred evaluations.
constexpr uint64_t kSamples = 10;
constexpr size_t kPopulation = 12;
constexpr int kTournament = 3;
constexpr double kShareOfCrossover = 0.8;
constexpr double kShareOfFurtherChange = 0.5;
constexpr int kChanges = 4;
constexpr int kDraws = 4;

}  // namespace

GeneticStrategy::GeneticStrategy(const StrategyContext& context)
    : space_(*context.space), seed_(context.seed), known_(*context.space) {}

std::optional<space::ConfigurationIndex> GeneticStrategy::Propose(TrialNumber number) {
  if (known_.Full()) return std::nullopt;
  RandomStream random(seed_, "genetic", static_cast<uint64_t>(number.value()));
  const bool sampling = known_.size() < kSamples || population_.size() < 2;
  const space::ConfigurationIndex index = sampling ? known_.DrawCovering(random) : Child(random);
  known_.Insert(index);
  return index;
}

void GeneticStrategy::Adopt(TrialNumber, space::ConfigurationIndex index) { known_.Insert(index); }

void GeneticStrategy::Observe(std::span<const Observation> observations) {
  for (const Observation& observation : observations) {
    if (!Succeeded(observation)) continue;
    const auto place = std::ranges::upper_bound(population_, observation.cost(), {}, &Member::cost);
    population_.insert(place, {observation.index, observation.cost()});
    if (population_.size() > kPopulation) population_.pop_back();
  }
}

space::ConfigurationIndex GeneticStrategy::Child(RandomStream& random) const {
  for (int draw = 0; draw < kDraws; ++draw) {
    space::ConfigurationIndex child = Parent(random);
    if (random.UniformReal() < kShareOfCrossover) {
      child = space::Cross(space_, child, Parent(random), random);
    };
    for (int change = 0; change < kChanges; ++change) {
      if (!known_.Contains(child) && random.UniformReal() >= kShareOfFurtherChange) break;
      child = space::WithRandomValue(space_, child, random);
    }
    if (!known_.Contains(child)) return child;
  }
  return known_.DrawUnknown(random);
}

space::ConfigurationIndex GeneticStrategy::Parent(RandomStream& random) const {
  uint64_t rank = population_.size();
  for (int i = 0; i < kTournament; ++i) {
    rank = std::min(rank, random.UniformBelow(population_.size()));
  }
  return population_[rank].index;
}

std::unique_ptr<Strategy> MakeGenetic(const StrategyContext& context) {
  return std::make_unique<GeneticStrategy>(context);
}

}  // namespace burnish::search
