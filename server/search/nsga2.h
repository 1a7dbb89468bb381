// NSGA-II (K. Deb, A. Pratap, S. Agarwal and T. Meyarivan, "A Fast and Elitist Multiobjective
// Genetic Algorithm: NSGA-II", IEEE Transactions on Evolutionary Computation, 2002) on what
// Gaussian processes, one for each objective, predict: a population evolves, by the space's
// crossover and mutation, towards the front of optimistic predictions. Of its members that one is
// measured which would add most to the hypervolume of the observed front (W. Ponweiser, T. Wagner,
// D. Biermann and M. Vincze, "Multiobjective Optimization on a Limited Budget of Evaluations Using
// Model-Assisted S-Metric Selection", PPSN 2008).
//
// Asynchronous: pending trials count as what they are believed to be, and make the models surer.
// Proposal n draws from the random stream (seed, "nsga2", n). Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/random.h"
#include "common/stats/pareto.h"
#include "server/search/known_set.h"
#include "server/search/strategy.h"
#include "server/search/surrogate.h"
#include "server/search/trial_log.h"

namespace burnish::search {

class Nsga2Strategy : public Strategy {
 public:
  explicit Nsga2Strategy(const StrategyContext& context);
  std::string_view Name() const override { return "nsga2"; }
  std::optional<space::ConfigurationIndex> Propose(TrialNumber number) override;
  void Adopt(TrialNumber number, space::ConfigurationIndex index) override;
  void Observe(std::span<const Observation> observations) override;

 private:
  struct Models;  // of one proposal
  struct Member {
    space::ConfigurationIndex index = 0;
    stats::Point predicted;
  };

  // One generation more, under the models of the moment.
  void Evolve(const Models& models, RandomStream& random);
  // The unknown member that adds most to what is known; nothing if all are known.
  std::optional<space::ConfigurationIndex> MostAdding(const Models& models) const;

  const space::SearchSpace& space_;
  const uint64_t seed_;
  const Exploration exploration_;
  KnownSet known_;
  TrialLog trials_;
  std::vector<Surrogate> surrogates_;  // by objective
  std::vector<Member> population_;     // the best first
};

std::unique_ptr<Strategy> MakeNsga2(const StrategyContext& context);

}  // namespace burnish::search
