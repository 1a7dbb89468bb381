#include "server/search/nsga2.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "common/space/neighbours.h"
#include "server/search/log_targets.h"
#include "server/search/promise.h"

namespace burnish::search {
namespace {

// First guesses, not tuned.
constexpr size_t kPopulation = 48;
constexpr size_t kImmigrants = 16;  // into each proposal's population, drawn from the space
constexpr int kGenerations = 4;     // of a proposal
constexpr size_t kChildren = 24;    // of a generation
constexpr double kShareOfCrossover = 0.8;
constexpr double kOptimism = 1;  // standard deviations below the mean
constexpr double kMargin = 0.2;  // of the reference beyond the front, and of its extent

// Successful trials that no other one dominates.
std::vector<size_t> FrontOf(const TrialLog& trials) {
  std::vector<size_t> successes;
  std::vector<stats::Point> points;
  for (size_t i = 0; i < trials.size(); ++i) {
    if (!std::isfinite(trials.log_costs()[i])) continue;
    successes.push_back(i);
    points.emplace_back();
    for (size_t objective = 0; objective < trials.objectives(); ++objective) {
      points.back().push_back(trials.log_costs(objective)[i]);
    }
  }
  std::vector<size_t> front;
  for (const size_t i : stats::ParetoFront(points)) front.push_back(successes[i]);
  return front;
}

// Of one objective; nothing of the front is cut.
LogTargets TargetsOf(const std::vector<double>& log_costs, const std::vector<size_t>& front) {
  double least = INFINITY;
  double most = -INFINITY;
  for (const size_t trial : front) {
    least = std::min(least, log_costs[trial]);
    most = std::max(most, log_costs[trial]);
  }
  return Standardise(log_costs, std::max(kLeastRange, most - least));
}

// By rank, within a rank the least crowded first.
std::vector<size_t> BestFirst(const std::vector<stats::Point>& points) {
  const std::vector<size_t> ranks = stats::NondominatedRanks(points);
  std::vector<size_t> order(points.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return ranks[i]; });
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    std::vector<stats::Point> of_rank;
    for (; end < order.size() && ranks[order[end]] == ranks[order[begin]]; ++end) {
      of_rank.push_back(points[order[end]]);
    }
    const std::vector<double> distances = stats::CrowdingDistances(of_rank);
    std::vector<std::pair<double, size_t>> members;
    for (size_t i = begin; i < end; ++i) members.emplace_back(-distances[i - begin], order[i]);
    std::ranges::sort(members);
    for (size_t i = begin; i < end; ++i) order[i] = members[i - begin].second;
  }
  return order;
}

// Beyond the points, so that the ends of the front count.
stats::Point ReferenceOf(const std::vector<stats::Point>& points) {
  stats::Point low = points.front();
  stats::Point high = points.front();
  for (const stats::Point& point : points) {
    for (size_t i = 0; i < point.size(); ++i) {
      low[i] = std::min(low[i], point[i]);
      high[i] = std::max(high[i], point[i]);
    }
  }
  for (size_t i = 0; i < high.size(); ++i) high[i] += kMargin * (1 + high[i] - low[i]);
  return high;
}

}  // namespace

struct Nsga2Strategy::Models {
  Models(const TrialLog& trials, std::vector<Surrogate>& by_objective, RandomStream& random)
      : surrogates(by_objective) {
    const std::vector<size_t> observed_front = FrontOf(trials);
    std::vector<stats::Point> points(trials.size());
    for (Surrogate& surrogate : by_objective) {
      const std::vector<double>& costs = trials.log_costs(beliefs.size());
      const std::vector<double> targets = TargetsOf(costs, observed_front).targets;
      beliefs.push_back(surrogate.Update(trials.WithLogCosts(costs), targets, random));
      for (size_t i = 0; i < trials.size(); ++i) {
        if (std::isinf(costs[i])) continue;  // failed
        const bool pending = std::isnan(costs[i]);
        points[i].push_back(pending ? surrogate.At(surrogate.Encode(trials.indices()[i])).mean
                                    : targets[i]);
      }
    }
    std::erase_if(points, [](const stats::Point& point) { return point.empty(); });
    for (const size_t i : stats::ParetoFront(points)) front.push_back(points[i]);
    reference = ReferenceOf(front);
  }

  stats::Point Optimistic(space::ConfigurationIndex index) const {
    stats::Point point;
    for (size_t objective = 0; objective < surrogates.size(); ++objective) {
      const auto candidate = surrogates[objective].candidates().Find(index);
      if (candidate) {
        point.push_back(beliefs[objective].mean[*candidate] -
                        kOptimism * beliefs[objective].deviation[*candidate]);
        continue;
      }
      const auto belief = surrogates[objective].At(surrogates[objective].Encode(index));
      point.push_back(belief.mean - kOptimism * std::sqrt(belief.variance));
    }
    return point;
  }

  const std::vector<Surrogate>& surrogates;
  std::vector<Surrogate::Belief> beliefs;
  std::vector<stats::Point> front;  // of what was observed, and of what is pending
  stats::Point reference;
};

Nsga2Strategy::Nsga2Strategy(const StrategyContext& context)
    : space_(*context.space),
      seed_(context.seed),
      exploration_(context.exploration),
      known_(*context.space),
      trials_(context.objectives) {
  for (size_t i = 0; i < context.objectives; ++i) surrogates_.emplace_back(*context.space);
}

std::optional<space::ConfigurationIndex> Nsga2Strategy::Propose(TrialNumber number) {
  if (known_.Full()) return std::nullopt;
  RandomStream random(seed_, "nsga2", static_cast<uint64_t>(number.value()));
  std::optional<space::ConfigurationIndex> next;
  if (known_.size() >= exploration_.samples && trials_.successes() >= kSuccessesToModel) {
    const Models models(trials_, surrogates_, random);
    for (const size_t trial : FrontOf(trials_)) {
      population_.push_back({.index = trials_.indices()[trial]});
    }
    for (size_t i = 0; i < kImmigrants; ++i) {
      population_.push_back({.index = space_.Sample(random)});
    }
    for (Member& member : population_) member.predicted = models.Optimistic(member.index);
    for (int generation = 0; generation < kGenerations; ++generation) Evolve(models, random);
    next = MostAdding(models);
  }
  if (!next) next = known_.DrawCovering(random);
  Adopt(number, *next);
  return next;
}

void Nsga2Strategy::Evolve(const Models& models, RandomStream& random) {
  const uint64_t parents = population_.size();
  const auto parent = [&] {
    return population_[std::min(random.UniformBelow(parents), random.UniformBelow(parents))].index;
  };
  for (size_t i = 0; i < kChildren; ++i) {
    space::ConfigurationIndex child = parent();
    if (random.UniformReal() < kShareOfCrossover)
      child = space::Cross(space_, child, parent(), random);
    child = space::WithRandomValue(space_, child, random);
    population_.push_back({.index = child, .predicted = models.Optimistic(child)});
  }
  std::ranges::sort(population_, {}, &Member::index);
  population_.erase(
      std::unique(population_.begin(), population_.end(),
                  [](const Member& a, const Member& b) { return a.index == b.index; }),
      population_.end());
  std::vector<stats::Point> points;
  for (const Member& member : population_) points.push_back(member.predicted);
  const std::vector<size_t> order = BestFirst(points);
  std::vector<Member> survivors;
  for (size_t i = 0; i < std::min(order.size(), kPopulation); ++i) {
    survivors.push_back(std::move(population_[order[i]]));
  }
  population_ = std::move(survivors);
}

std::optional<space::ConfigurationIndex> Nsga2Strategy::MostAdding(const Models& models) const {
  std::optional<space::ConfigurationIndex> chosen;
  double most = -1;
  std::vector<stats::Point> front = models.front;
  front.emplace_back();
  for (const Member& member : population_) {
    if (known_.Contains(member.index)) continue;
    front.back() = member.predicted;
    const double volume = stats::Hypervolume(front, models.reference);
    if (volume <= most) continue;
    most = volume;
    chosen = member.index;
  }
  return chosen;
}

void Nsga2Strategy::Adopt(TrialNumber, space::ConfigurationIndex index) {
  known_.Insert(index);
  trials_.Add(index);
}

void Nsga2Strategy::Observe(std::span<const Observation> observations) {
  trials_.Observe(observations);
}

std::unique_ptr<Strategy> MakeNsga2(const StrategyContext& context) {
  return std::make_unique<Nsga2Strategy>(context);
}

}  // namespace burnish::search
