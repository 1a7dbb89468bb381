#include "server/search/boosted_trees.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/space/neighbours.h"

namespace burnish::search {
namespace {

// Chosen on measured spaces of GPU kernels. Scores two deviations below the mean find less than one
// below; ranking against regression, and up to five random ones in a hundred, are near the noise.
constexpr uint64_t kSamples = 10;
constexpr double kShareOfRandom = 0.02;
// Of what was observed, until the trees are trained again: whichever is reached first.
constexpr double kGrowth = 1.2;
constexpr size_t kLargestGrowth = 200;  // bounds the candidates
constexpr double kDeviations = 1;       // by which the score lies below the mean
constexpr double kLeastCut = 0.2;       // of log latency above the least
constexpr size_t kParents = 8;          // from the fastest observed
constexpr int kRandomMembers = 64;
constexpr size_t kPopulation = 32;
constexpr int kGenerations = 3;
constexpr int kChildren = 32;
constexpr int kTournament = 3;
constexpr double kShareOfCrossover = 0.2;
constexpr double kShareOfFurtherChange = 0.3;
constexpr int kChanges = 4;
// Of each kind, so that training takes no longer in a long search.
constexpr size_t kTrainedWithFastest = 256;
constexpr size_t kTrainedWithLatest = 256;

double LogCost(const Observation& observation) {
  return std::log(std::max(observation.cost(), std::numeric_limits<double>::min()));
}

// Logarithms of latencies, scaled to mean 0 and deviation 1. They are cut as far above the median
// as that lies above the least: how slow the slow ones are says nothing of what is fast. A failure
// is as slow as the slowest.
std::vector<float> TargetsOf(const std::vector<Observation>& observed) {
  std::vector<double> successes;
  for (const Observation& observation : observed) {
    if (Succeeded(observation)) successes.push_back(LogCost(observation));
  }
  std::ranges::sort(successes);
  const double least = successes.front();
  const double median = successes[successes.size() / 2];
  const double cut = std::min(successes.back(), least + std::max(2 * (median - least), kLeastCut));
  std::vector<float> targets;
  double mean = 0;
  for (const Observation& observation : observed) {
    const double target = Succeeded(observation) ? std::min(LogCost(observation), cut) : cut;
    targets.push_back(static_cast<float>(target - least));
    mean += (target - least) / static_cast<double>(observed.size());
  }
  double variance = 0;
  for (const float target : targets) {
    variance += (target - mean) * (target - mean) / static_cast<double>(observed.size());
  }
  const double deviation = variance > 0 ? std::sqrt(variance) : 1;
  for (float& target : targets) target = static_cast<float>((target - mean) / deviation);
  return targets;
}

}  // namespace

BoostedTreesStrategy::BoostedTreesStrategy(const StrategyContext& context)
    : space_(*context.space),
      seed_(context.seed),
      features_(*context.space),
      known_(*context.space) {}

std::optional<space::ConfigurationIndex> BoostedTreesStrategy::Propose(TrialNumber number) {
  if (known_.Full()) return std::nullopt;
  RandomStream random(seed_, "boosted_trees", static_cast<uint64_t>(number.value()));
  space::ConfigurationIndex next = 0;
  if (known_.size() < kSamples || fastest_.size() < 2) {
    next = known_.DrawCovering(random);
  } else if (random.UniformReal() < kShareOfRandom) {
    next = known_.DrawUnknown(random);
  } else {
    next = Choose(random);
  }
  known_.Insert(next);
  pending_.push_back(next);
  return next;
}

void BoostedTreesStrategy::Adopt(TrialNumber, space::ConfigurationIndex index) {
  known_.Insert(index);
  pending_.push_back(index);
}

void BoostedTreesStrategy::Observe(std::span<const Observation> observations) {
  for (const Observation& observation : observations) {
    std::erase(pending_, observation.index);
    observed_.push_back(observation);
    if (!Succeeded(observation)) continue;
    const Candidate place{observation.cost(), observation.index};
    fastest_.insert(std::ranges::upper_bound(fastest_, place), place);
    if (fastest_.size() > kTrainedWithFastest) fastest_.pop_back();
  }
}

space::ConfigurationIndex BoostedTreesStrategy::Choose(RandomStream& random) {
  TrainIfOutdated();
  Evolve(random);
  const Candidate* best = nullptr;
  const Candidate* best_apart = nullptr;
  for (const Candidate& candidate : candidates_) {
    if (known_.Contains(candidate.index)) continue;
    if (!best || candidate < *best) best = &candidate;
    if (best_apart && *best_apart < candidate) continue;
    if (!IsNearPending(candidate.index)) best_apart = &candidate;
  }
  if (best_apart) return best_apart->index;
  return best ? best->index : known_.DrawUnknown(random);
}

void BoostedTreesStrategy::TrainIfOutdated() {
  const size_t growth = observed_.size() - trained_with_;
  const bool has_grown =
      growth >= kLargestGrowth ||
      static_cast<double>(observed_.size()) >= kGrowth * static_cast<double>(trained_with_);
  if (trees_ && !has_grown) return;
  std::vector<Observation> chosen;
  std::vector<space::ConfigurationIndex> indices;
  for (size_t i = 0; i < observed_.size(); ++i) {
    const bool is_latest = i + kTrainedWithLatest >= observed_.size();
    const bool is_fastest = Succeeded(observed_[i]) && observed_[i].cost() <= fastest_.back().score;
    if (!is_latest && !is_fastest) continue;
    chosen.push_back(observed_[i]);
    indices.push_back(observed_[i].index);
  }
  auto trees =
      costmodel::BoostedTrees::Train(FeaturesOf(indices), features_.count(), TargetsOf(chosen),
                                     {.objective = costmodel::TreeObjective::kRank, .seed = seed_});
  CHECK(trees.ok()) << trees.status().ToString();
  trees_ = *std::move(trees);
  trained_with_ = observed_.size();
  candidates_.clear();
  scored_.clear();
}

void BoostedTreesStrategy::Evolve(RandomStream& random) {
  std::vector<space::ConfigurationIndex> indices;
  for (size_t i = 0; i < std::min(kParents, fastest_.size()); ++i) {
    indices.push_back(fastest_[i].index);
  }
  for (int i = 0; i < kRandomMembers; ++i) indices.push_back(space_.Sample(random));
  Score(std::move(indices));
  for (int generation = 0; generation < kGenerations; ++generation) {
    const std::vector<Candidate> population = Population();
    std::vector<space::ConfigurationIndex> children;
    for (int child = 0; child < kChildren; ++child) children.push_back(Child(population, random));
    Score(std::move(children));
  }
}

void BoostedTreesStrategy::Score(std::vector<space::ConfigurationIndex> indices) {
  std::erase_if(indices, [&](space::ConfigurationIndex i) { return !scored_.insert(i).second; });
  const auto predictions = trees_->Predict(FeaturesOf(indices));
  CHECK(predictions.ok()) << predictions.status().ToString();
  for (size_t i = 0; i < indices.size(); ++i) {
    const costmodel::TreePrediction& prediction = (*predictions)[i];
    candidates_.push_back({prediction.mean - kDeviations * prediction.deviation, indices[i]});
  }
}

std::vector<BoostedTreesStrategy::Candidate> BoostedTreesStrategy::Population() const {
  std::vector<Candidate> population(std::min(kPopulation, candidates_.size()));
  std::ranges::partial_sort_copy(candidates_, population);
  return population;
}

space::ConfigurationIndex BoostedTreesStrategy::Child(const std::vector<Candidate>& population,
                                                      RandomStream& random) const {
  const auto parent = [&] {
    uint64_t rank = population.size();
    for (int i = 0; i < kTournament; ++i) {
      rank = std::min(rank, random.UniformBelow(population.size()));
    }
    return population[rank].index;
  };
  space::ConfigurationIndex child = parent();
  if (random.UniformReal() < kShareOfCrossover)
    child = space::Cross(space_, child, parent(), random);
  for (int change = 0; change < kChanges; ++change) {
    const auto neighbour = space::RandomNeighbour(space_, child, random);
    child = neighbour ? *neighbour : space::WithRandomValue(space_, child, random);
    if (random.UniformReal() >= kShareOfFurtherChange) break;
  }
  return child;
}

bool BoostedTreesStrategy::IsNearPending(space::ConfigurationIndex index) const {
  if (pending_.empty()) return false;
  const space::Row row = space_.RowAt(index);
  return std::ranges::any_of(pending_, [&](space::ConfigurationIndex other) {
    return space_.layout().Distance(row.data(), space_.RowAt(other).data()) <= 1;
  });
}

std::vector<float> BoostedTreesStrategy::FeaturesOf(
    const std::vector<space::ConfigurationIndex>& indices) const {
  std::vector<float> features(indices.size() * features_.count());
  for (size_t i = 0; i < indices.size(); ++i) {
    features_.Compute(space_.RowAt(indices[i]), &features[i * features_.count()]);
  }
  return features;
}

std::unique_ptr<Strategy> MakeBoostedTrees(const StrategyContext& context) {
  return std::make_unique<BoostedTreesStrategy>(context);
}

}  // namespace burnish::search
