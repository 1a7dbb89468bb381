// How much of the best possible speed strategies find on synthetic running times: a floor under
// changes of the strategies, and the reason for what `auto` is.
#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/search/strategy.h"
#include "tests/unit/server/search/synthetic_space.h"

namespace burnish::search {
namespace {

constexpr double kNoise = 0.02;
constexpr int64_t kPending = 4;

class SearchQuality : public testing::Test {
 protected:
  // Best possible time over the true time of what was measured as the fastest in `trials` trials,
  // mean over times and seeds.
  double FractionOfOptimum(const std::string& name, int64_t trials) const {
    double sum = 0;
    int runs = 0;
    for (uint64_t times_seed = 0; times_seed < 3; ++times_seed) {
      const SyntheticTimes times(space_, times_seed);
      const double optimum = times.Optimum();
      for (uint64_t seed = 0; seed < 4; ++seed, ++runs) {
        sum += optimum / times.Seconds(Search(name, times, seed, trials));
      }
    }
    return sum / runs;
  }

 private:
  space::ConfigurationIndex Search(const std::string& name, const SyntheticTimes& times,
                                   uint64_t seed, int64_t trials) const {
    const auto strategy =
        *MakeStrategy(name, {.space = &space_, .seed = seed, .budget_trials = trials});
    RandomStream noise(seed, "noise");
    std::vector<Observation> proposed = {Measured(0, 0, times, noise)};
    strategy->Adopt(TrialNumber(0), 0);
    for (int64_t number = 1; number < trials; ++number) {
      proposed.push_back(Measured(number, *strategy->Propose(TrialNumber(number)), times, noise));
      if (number >= kPending) strategy->Observe(std::span(&proposed[number - kPending], 1));
    }
    return std::ranges::min(proposed, {}, &Observation::cost).index;
  }

  static Observation Measured(int64_t number, space::ConfigurationIndex index,
                              const SyntheticTimes& times, RandomStream& noise) {
    return {.trial = TrialNumber(number),
            .index = index,
            .outcome = work::Outcome::kOk,
            .costs = {times.Seconds(index) * (1 + kNoise * noise.Normal())}};
  }

  const space::SearchSpace space_ = SyntheticSpace();
};

TEST_F(SearchQuality, LocalSearchFindsMostOfTheOptimumInAHundredTrials) {
  EXPECT_GT(FractionOfOptimum("local", 100), 0.9);
}

TEST_F(SearchQuality, AGeneticAlgorithmFindsMoreThanRandomSearch) {
  EXPECT_GT(FractionOfOptimum("genetic", 100), FractionOfOptimum("random", 100) + 0.1);
}

TEST_F(SearchQuality, AutoFindsAsMuchAsTheBest) {
  constexpr int64_t kTrials = 60;
  const double found = FractionOfOptimum("auto", kTrials);
  for (const char* name : {"random", "local", "genetic"}) {
    EXPECT_GE(found, FractionOfOptimum(name, kTrials)) << name;
  }
}

}  // namespace
}  // namespace burnish::search
