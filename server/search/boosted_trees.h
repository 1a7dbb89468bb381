// Search led by boosted trees, as AutoTVM and Ansor do it (T. Chen et al., "Learning to Optimize
// Tensor Programs", NeurIPS 2018; L. Zheng et al., "Ansor: Generating High-Performance Tensor
// Programs for Deep Learning", OSDI 2020), one proposal at a time.
//
// After a few samples an ensemble of trees learns to order what was observed, failures last, and
// does so again whenever that has grown by a fifth. Candidates evolve from the fastest observed and
// from random ones, by crossover and by changes of single parameters, towards what the trees take
// for fast. The best of all that were scored since the trees were trained is proposed, away from
// what is pending; now and then a random configuration is.
//
// Asynchronous: any number of proposals may be pending. Proposal n draws from the random stream
// (seed, "boosted_trees", n). Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "server/costmodel/boosted_trees.h"
#include "server/costmodel/features.h"
#include "server/search/known_set.h"
#include "server/search/strategy.h"

namespace burnish::search {

class BoostedTreesStrategy : public Strategy {
 public:
  explicit BoostedTreesStrategy(const StrategyContext& context);
  std::string_view Name() const override { return "boosted_trees"; }
  std::optional<space::ConfigurationIndex> Propose(TrialNumber number) override;
  void Adopt(TrialNumber number, space::ConfigurationIndex index) override;
  void Observe(std::span<const Observation> observations) override;

 private:
  struct Candidate {
    double score = 0;  // the less, the faster
    space::ConfigurationIndex index = 0;

    friend auto operator<=>(const Candidate&, const Candidate&) = default;
  };

  space::ConfigurationIndex Choose(RandomStream& random);
  void TrainIfOutdated();
  void Evolve(RandomStream& random);
  // Adds those of `indices` that have no score yet to the candidates.
  void Score(std::vector<space::ConfigurationIndex> indices);
  // The candidates of the least scores, known ones among them, the least first.
  std::vector<Candidate> Population() const;
  space::ConfigurationIndex Child(const std::vector<Candidate>& population,
                                  RandomStream& random) const;
  // In no more than one parameter different from what is pending.
  bool IsNearPending(space::ConfigurationIndex index) const;
  std::vector<float> FeaturesOf(const std::vector<space::ConfigurationIndex>& indices) const;

  const space::SearchSpace& space_;
  const uint64_t seed_;
  const costmodel::Features features_;
  KnownSet known_;
  std::vector<space::ConfigurationIndex> pending_;
  std::vector<Observation> observed_;
  std::vector<Candidate> fastest_;  // observed, the least latency first

  std::optional<costmodel::BoostedTrees> trees_;
  size_t trained_with_ = 0;            // observations
  std::vector<Candidate> candidates_;  // scored by these trees
  absl::flat_hash_set<space::ConfigurationIndex> scored_;
};

std::unique_ptr<Strategy> MakeBoostedTrees(const StrategyContext& context);

}  // namespace burnish::search
