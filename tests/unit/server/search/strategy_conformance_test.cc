// What every strategy keeps to, whatever it is, with as many objectives as it serves: a new one is
// picked up from the registry.
#include <cmath>
#include <limits>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/search/strategy.h"

namespace burnish::search {
namespace {

space::SearchSpace MakeSpace(const std::vector<size_t>& domain_sizes) {
  std::vector<space::Parameter> parameters;
  for (size_t i = 0; i < domain_sizes.size(); ++i) {
    space::Parameter parameter{.name = "P" + std::to_string(i), .values = {}};
    for (size_t v = 0; v < domain_sizes[i]; ++v) parameter.values.emplace_back(int64_t(v));
    parameters.push_back(std::move(parameter));
  }
  auto space = space::SearchSpace::Create(std::move(parameters), {});
  EXPECT_TRUE(space.ok()) << space.status();
  return *std::move(space);
}

// A root parameter whose small variant pins what it does not use, and the other way round.
space::SearchSpace SpaceOfVariants(int64_t values = 16) {
  std::vector<space::Parameter> parameters = {{"TEMPLATE", {"tile", "dot"}}};
  for (const char* name : {"TILE_M", "TILE_N", "TILE_K", "LANES"}) {
    space::Parameter parameter{.name = name, .values = {}};
    for (int64_t v = 0; v < values; ++v) parameter.values.emplace_back(v);
    parameters.push_back(std::move(parameter));
  }
  std::vector<expr::Expression> constraints;
  for (const char* text : {"TEMPLATE == 'tile' or TILE_M == 0 and TILE_N == 0 and TILE_K == 0",
                           "TEMPLATE == 'dot' or LANES == 0"}) {
    constraints.push_back(*expr::Expression::Parse(text));
  }
  auto space = space::SearchSpace::Create(std::move(parameters), std::move(constraints));
  EXPECT_TRUE(space.ok()) << space.status();
  return *std::move(space);
}

bool IsDot(const space::SearchSpace& space, space::ConfigurationIndex index) {
  return expr::Equal(space.At(index).front().value, "dot");
}

// Records of half of the space, some of them failures; those who learn from history get it.
HistorySource SomeHistory(const space::SearchSpace& space) {
  HistorySource source{.name = "elsewhere", .records = {}};
  for (uint64_t i = 0; i < std::min<uint64_t>(space.size(), 2000); i += 2) {
    source.records.push_back(
        {.index = i, .latency_seconds = i % 10 == 0 ? 0 : 1e-6 * (1 + i % 83)});
  }
  return source;
}

struct Served {
  std::string strategy;
  size_t objectives = 1;
};

// With each cost comes a second one, the larger the less the first is.
class WithSecondObjective : public Strategy {
 public:
  explicit WithSecondObjective(std::unique_ptr<Strategy> strategy)
      : strategy_(std::move(strategy)) {}
  std::string_view Name() const override { return strategy_->Name(); }
  std::optional<space::ConfigurationIndex> Propose(TrialNumber number) override {
    return strategy_->Propose(number);
  }
  void Adopt(TrialNumber number, space::ConfigurationIndex index) override {
    strategy_->Adopt(number, index);
  }
  void Observe(std::span<const Observation> observations) override {
    std::vector<Observation> both(observations.begin(), observations.end());
    for (Observation& observation : both) {
      if (observation.costs.empty()) continue;
      observation.costs.push_back(1e-6 / (1e-4 + observation.cost()));
    }
    strategy_->Observe(both);
  }

 private:
  const std::unique_ptr<Strategy> strategy_;
};

std::unique_ptr<Strategy> Make(const Served& served, const space::SearchSpace& space,
                               uint64_t seed = 1, int64_t budget = 100) {
  StrategyContext context{
      .space = &space, .seed = seed, .budget_trials = budget, .objectives = served.objectives};
  if (served.strategy == "transfer") context.history = {SomeHistory(space)};
  auto strategy = MakeStrategy(served.strategy, context);
  EXPECT_TRUE(strategy.ok()) << strategy.status();
  if (served.objectives == 1) return *std::move(strategy);
  return std::make_unique<WithSecondObjective>(*std::move(strategy));
}

std::vector<Served> AllServed() {
  std::vector<Served> all;
  for (const size_t objectives : {1, 2}) {
    for (const std::string& name : StrategyNames(objectives)) all.push_back({name, objectives});
  }
  return all;
}

std::string NameOf(const testing::TestParamInfo<Served>& info) {
  return info.param.objectives == 1 ? info.param.strategy : info.param.strategy + "_of_two";
}

Observation Ok(int64_t trial, space::ConfigurationIndex index, double latency_seconds) {
  return {.trial = TrialNumber(trial),
          .index = index,
          .outcome = work::Outcome::kOk,
          .costs = {latency_seconds}};
}

Observation Failed(int64_t trial, space::ConfigurationIndex index) {
  return {.trial = TrialNumber(trial), .index = index, .outcome = work::Outcome::kCompileError};
}

// Proposes until the space is exhausted, observing each proposal with `observe`.
template <typename Observe>
std::vector<space::ConfigurationIndex> ProposeAll(Strategy& strategy, int64_t first,
                                                  Observe observe) {
  std::vector<space::ConfigurationIndex> proposals;
  for (int64_t number = first; number < 10'000; ++number) {
    const auto index = strategy.Propose(TrialNumber(number));
    if (!index) return proposals;
    proposals.push_back(*index);
    const std::vector<Observation> seen = {observe(number, *index)};
    strategy.Observe(seen);
  }
  ADD_FAILURE() << "the strategy never said that the space is exhausted";
  return proposals;
}

class StrategyConformance : public testing::TestWithParam<Served> {};

TEST_P(StrategyConformance, ExhaustsASmallSpaceProposingEachConfigurationOnce) {
  const space::SearchSpace space = MakeSpace({5, 4, 3});
  const auto strategy = Make(GetParam(), space);
  const auto proposals = ProposeAll(*strategy, 0, [](int64_t number, auto index) {
    return Ok(number, index, 1e-6 * (1 + index));
  });
  EXPECT_EQ(proposals.size(), space.size());
  const std::set<space::ConfigurationIndex> distinct(proposals.begin(), proposals.end());
  EXPECT_EQ(distinct.size(), space.size());
  EXPECT_LT(*distinct.rbegin(), space.size());
  EXPECT_EQ(strategy->Propose(TrialNumber(10'000)), std::nullopt);
}

TEST_P(StrategyConformance, ExhaustsTheSpaceThoughNothingIsObserved) {
  const space::SearchSpace space = MakeSpace({7, 3});
  const auto strategy = Make(GetParam(), space);
  std::set<space::ConfigurationIndex> proposed;
  while (const auto index = strategy->Propose(TrialNumber(int64_t(proposed.size())))) {
    ASSERT_TRUE(proposed.insert(*index).second) << *index << " proposed twice";
  }
  EXPECT_EQ(proposed.size(), space.size());
}

TEST_P(StrategyConformance, NeverProposesAnAdoptedConfiguration) {
  const space::SearchSpace space = MakeSpace({4, 4});
  const auto strategy = Make(GetParam(), space);
  for (const uint64_t adopted : {0, 7, 15}) strategy->Adopt(TrialNumber(0), adopted);
  const auto proposals = ProposeAll(*strategy, 3, Failed);
  EXPECT_EQ(proposals.size(), space.size() - 3);
  EXPECT_THAT(proposals, testing::Not(testing::Contains(testing::AnyOf(0u, 7u, 15u))));
}

TEST_P(StrategyConformance, HandlesParametersOfOneValue) {
  const space::SearchSpace space = MakeSpace({1, 6, 1});
  const auto strategy = Make(GetParam(), space);
  EXPECT_EQ(ProposeAll(*strategy, 0, Failed).size(), 6u);
}

TEST_P(StrategyConformance, HandlesASpaceOfOneConfiguration) {
  const space::SearchSpace space = MakeSpace({1, 1});
  const auto strategy = Make(GetParam(), space);
  EXPECT_EQ(strategy->Propose(TrialNumber(0)), 0u);
  EXPECT_EQ(strategy->Propose(TrialNumber(1)), std::nullopt);
  const auto after_default = Make(GetParam(), space);
  after_default->Adopt(TrialNumber(0), 0);
  EXPECT_EQ(after_default->Propose(TrialNumber(1)), std::nullopt);
}

TEST_P(StrategyConformance, GoesOnWhenEveryTrialFails) {
  const space::SearchSpace space = MakeSpace({10, 10});
  const auto strategy = Make(GetParam(), space);
  EXPECT_EQ(ProposeAll(*strategy, 0, Failed).size(), space.size());
}

TEST_P(StrategyConformance, GoesOnWhenLatenciesAreNoNumbers) {
  const space::SearchSpace space = MakeSpace({10, 3});
  const auto strategy = Make(GetParam(), space);
  const double odd[] = {std::nan(""), std::numeric_limits<double>::infinity(), 0.0, 1e-300};
  const auto proposals = ProposeAll(
      *strategy, 0, [&](int64_t number, auto index) { return Ok(number, index, odd[number % 4]); });
  EXPECT_EQ(proposals.size(), space.size());
}

TEST_P(StrategyConformance, HandlesParametersOfTwoValues) {
  const space::SearchSpace space = MakeSpace({2, 1, 2, 2, 2, 2, 2});
  const auto strategy = Make(GetParam(), space, 1, 20);
  const auto proposals = ProposeAll(
      *strategy, 0, [](int64_t number, auto index) { return Ok(number, index, 1e-6 * index); });
  EXPECT_EQ(proposals.size(), 64u);
}

TEST_P(StrategyConformance, HandlesASpaceWithoutParameters) {
  const space::SearchSpace space = MakeSpace({});
  const auto strategy = Make(GetParam(), space);
  EXPECT_EQ(strategy->Propose(TrialNumber(0)), 0u);
  EXPECT_EQ(strategy->Propose(TrialNumber(1)), std::nullopt);
}

TEST_P(StrategyConformance, GoesOnWhenAllLatenciesAreEqual) {
  const space::SearchSpace space = MakeSpace({10, 10});
  const auto strategy = Make(GetParam(), space, 1, 50);
  const auto proposals =
      ProposeAll(*strategy, 0, [](int64_t number, auto index) { return Ok(number, index, 1e-3); });
  EXPECT_EQ(proposals.size(), space.size());
}

TEST_P(StrategyConformance, ExhaustsASpaceInBatchesThatEndInAnyOrder) {
  const space::SearchSpace space = SpaceOfVariants(8);
  const auto strategy = Make(GetParam(), space);
  RandomStream random(1, "order of ends");
  std::set<space::ConfigurationIndex> proposed;
  std::vector<Observation> pending;
  bool exhausted = false;
  while (!exhausted || !pending.empty()) {
    while (!exhausted && pending.size() < 16) {
      const auto number = static_cast<int64_t>(proposed.size());
      const auto index = strategy->Propose(TrialNumber(number));
      exhausted = !index;
      if (!index) break;
      ASSERT_TRUE(proposed.insert(*index).second) << *index << " proposed twice";
      pending.push_back(number % 5 == 0 ? Failed(number, *index)
                                        : Ok(number, *index, 1e-6 * (1 + *index % 97)));
    }
    std::swap(pending[random.UniformBelow(pending.size())], pending.back());
    strategy->Observe(std::span(&pending.back(), 1));
    pending.pop_back();
  }
  EXPECT_EQ(proposed.size(), space.size());
}

TEST_P(StrategyConformance, ServesAnEnormousBudget) {
  const space::SearchSpace space = MakeSpace({30, 30, 30, 30});
  const auto strategy = Make(GetParam(), space, 1, 1'000'000);
  std::set<space::ConfigurationIndex> proposed;
  for (int64_t number = 0; number < 120; ++number) {
    const auto index = strategy->Propose(TrialNumber(number));
    ASSERT_TRUE(index.has_value());
    ASSERT_TRUE(proposed.insert(*index).second) << *index << " proposed twice";
    const std::vector<Observation> seen = {Ok(number, *index, 1e-6 * (1 + *index % 1013))};
    strategy->Observe(seen);
  }
}

TEST_P(StrategyConformance, ProposesTheSameWhenRebuiltWithManyPending) {
  const space::SearchSpace space = SpaceOfVariants();
  const auto run = [&](Strategy& strategy) {
    std::vector<space::ConfigurationIndex> proposals = {3};
    strategy.Adopt(TrialNumber(0), 3);
    for (int64_t number = 1; number < 120; ++number) {
      proposals.push_back(*strategy.Propose(TrialNumber(number)));
      if (number < 12) continue;
      const space::ConfigurationIndex ended = proposals[number - 12];
      const std::vector<Observation> seen = {ended % 7 == 0
                                                 ? Failed(number - 12, ended)
                                                 : Ok(number - 12, ended, 1e-6 * (1 + ended % 89))};
      strategy.Observe(seen);
    }
    return proposals;
  };
  EXPECT_EQ(run(*Make(GetParam(), space, 42)), run(*Make(GetParam(), space, 42)));
}

TEST_P(StrategyConformance, ProposesTheSameWhenRebuiltFromTheSameCalls) {
  const space::SearchSpace space = MakeSpace({30, 30, 30});
  const auto run = [&](Strategy& strategy) {
    std::vector<space::ConfigurationIndex> proposals;
    strategy.Adopt(TrialNumber(0), 5);
    for (int64_t number = 1; number < 100; ++number) {
      proposals.push_back(*strategy.Propose(TrialNumber(number)));
      if (number % 3 != 0) continue;  // in batches, with some proposals pending in between
      const std::vector<Observation> seen = {Ok(number, proposals.back(), 1e-6 * (number % 17)),
                                             Failed(number - 1, proposals[number - 2])};
      strategy.Observe(seen);
    }
    return proposals;
  };
  EXPECT_EQ(run(*Make(GetParam(), space, 42)), run(*Make(GetParam(), space, 42)));
}

TEST_P(StrategyConformance, DoesNotDependOnHowObservationsAreGroupedIntoCalls) {
  const space::SearchSpace space = MakeSpace({30, 30, 30});
  const auto together = Make(GetParam(), space, 42);
  const auto one_by_one = Make(GetParam(), space, 42);
  std::vector<Observation> seen;
  for (int64_t number = 0; number < 80; ++number) {
    const uint64_t index = *together->Propose(TrialNumber(number));
    ASSERT_EQ(one_by_one->Propose(TrialNumber(number)), index);
    seen.push_back(number % 4 == 0 ? Failed(number, index) : Ok(number, index, 1e-6 * (index + 1)));
    if (number % 5 != 0) continue;
    together->Observe(seen);
    for (const Observation& observation : seen) one_by_one->Observe(std::span(&observation, 1));
    seen.clear();
  }
}

TEST_P(StrategyConformance, TakesALatencyThatIsNoNumberForAFailure) {
  const space::SearchSpace space = MakeSpace({30, 30, 30});
  const auto odd = Make(GetParam(), space, 42);
  const auto failing = Make(GetParam(), space, 42);
  const double no_numbers[] = {std::nan(""), std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity()};
  for (int64_t number = 0; number < 60; ++number) {
    const uint64_t index = *odd->Propose(TrialNumber(number));
    ASSERT_EQ(failing->Propose(TrialNumber(number)), index);
    const bool fails = number % 3 == 0;
    const Observation ok = Ok(number, index, fails ? no_numbers[number / 3 % 3] : 1e-6 * index);
    const Observation failed = fails ? Failed(number, index) : ok;
    odd->Observe(std::span(&ok, 1));
    failing->Observe(std::span(&failed, 1));
  }
}

TEST_P(StrategyConformance, ProposesDifferentlyUnderAnotherSeed) {
  const space::SearchSpace space = MakeSpace({10, 10});
  for (const bool succeed : {false, true}) {
    std::set<std::vector<space::ConfigurationIndex>> orders;
    for (uint64_t seed = 0; seed < 5; ++seed) {
      orders.insert(ProposeAll(*Make(GetParam(), space, seed), 0, [&](int64_t number, auto index) {
        return succeed ? Ok(number, index, 1e-6 * (1 + index)) : Failed(number, index);
      }));
    }
    EXPECT_EQ(orders.size(), 5u);
  }
}

// Those that look at a small variant of a root parameter early, however small its share is.
class VisitingStrategy : public testing::TestWithParam<Served> {};

TEST_P(VisitingStrategy, VisitsEveryVariantOfARootParameterEarly) {
  const space::SearchSpace space = SpaceOfVariants();
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto strategy = Make(GetParam(), space, seed);
    strategy->Adopt(TrialNumber(0), 0);
    int dots = 0;
    for (int64_t number = 1; number < 12; ++number) {
      dots += IsDot(space, *strategy->Propose(TrialNumber(number)));
    }
    EXPECT_GE(dots, 1) << "seed " << seed;
  }
}

TEST_P(VisitingStrategy, FindsTheBestOfTheVariantThatIsTheFaster) {
  const space::SearchSpace space = SpaceOfVariants();
  for (const bool dot_is_faster : {false, true}) {
    const auto strategy = Make(GetParam(), space, 3);
    int64_t in_faster_variant = 0;
    for (int64_t number = 0; number < 60; ++number) {
      const uint64_t index = *strategy->Propose(TrialNumber(number));
      const bool faster = IsDot(space, index) == dot_is_faster;
      in_faster_variant += faster;
      const std::vector<Observation> seen = {
          Ok(number, index, (faster ? 1e-3 : 2e-3) + 1e-6 * (index % 16))};
      strategy->Observe(seen);
    }
    // The small variant has 16 configurations in all.
    EXPECT_GE(in_faster_variant, dot_is_faster ? 8 : 30);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, VisitingStrategy,
                         testing::Values(Served{"auto"}, Served{"local"}, Served{"genetic"},
                                         Served{"simulated_annealing"}, Served{"boosted_trees"},
                                         Served{"nsga2"}, Served{"gradient"}),
                         NameOf);

INSTANTIATE_TEST_SUITE_P(Registry, StrategyConformance, testing::ValuesIn(AllServed()), NameOf);

}  // namespace
}  // namespace burnish::search
