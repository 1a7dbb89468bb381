// Bayesian optimisation that starts from what records of the same kernel on other devices or in
// other shapes say, and leaves them when they turn out wrong.
//
// The first trials follow the history's order, with samples in between that owe nothing to it.
// After that proposals come in turns from two models: a Gaussian process over what the history,
// each source weighted by how well it explains what was seen, leaves unexplained (a linear prior
// mean, as in M. A. Álvarez, L. Rosasco and N. D. Lawrence, "Kernels for Vector-Valued Functions",
// 2012, with one latent function and fixed sources), and the plain one of BayesianStrategy. As soon
// as predictions do not go with observations the history is dropped for good, and the search is the
// plain one, with all that was seen.
//
// Asynchronous, as BayesianStrategy is. Proposal n draws from the random stream (seed, "transfer",
// n). Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "server/search/history_prior.h"
#include "server/search/known_set.h"
#include "server/search/promise.h"
#include "server/search/strategy.h"
#include "server/search/surrogate.h"
#include "server/search/trial_log.h"

namespace burnish::search {

class TransferStrategy : public Strategy {
 public:
  explicit TransferStrategy(const StrategyContext& context);
  std::string_view Name() const override { return "transfer"; }
  std::optional<space::ConfigurationIndex> Propose(TrialNumber number) override;
  void Adopt(TrialNumber number, space::ConfigurationIndex index) override;
  void Observe(std::span<const Observation> observations) override;
  std::span<const Expectation> expectations() const override { return expectations_; }

 private:
  std::optional<space::ConfigurationIndex> NextOfHistory() const;
  std::optional<Choice> PromisingByHistory(RandomStream& random);
  // Whether the history's predictions go with what was observed.
  bool Confirmed() const;

  const space::SearchSpace& space_;
  const uint64_t seed_;
  const Exploration exploration_;
  const HistoryPrior history_;
  bool dropped_ = false;
  KnownSet known_;
  TrialLog trials_;
  std::vector<Expectation> expectations_;
  Surrogate plain_;
  Surrogate residual_;
};

// With no history it is MakeBayesian.
std::unique_ptr<Strategy> MakeTransfer(const StrategyContext& context);

}  // namespace burnish::search
