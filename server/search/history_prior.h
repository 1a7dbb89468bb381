// What records of the same kernel elsewhere say of the configurations of a space, as predictions of
// the logarithm of the latency, and how far the search has confirmed them. Immutable, so
// thread-safe.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/search/strategy.h"

namespace burnish::search {

class HistoryPrior {
 public:
  // Sources without a success are left out.
  explicit HistoryPrior(const std::vector<HistorySource>& sources);

  size_t sources() const { return sources_.size(); }
  // By source: standardised logarithm of the latency over the least there, cut at twice the median;
  // what failed there or is missing counts as slowest.
  std::vector<double> Predictions(space::ConfigurationIndex index) const;
  // Their mean.
  double Prediction(space::ConfigurationIndex index) const;
  // What any source succeeded with, the best predicted first.
  const std::vector<space::ConfigurationIndex>& ranking() const { return ranking_; }
  // Means over the sources, in natural logarithms: of the cut above the least latency, and of the
  // standard deviation.
  double cut() const { return cut_; }
  double deviation() const { return deviation_; }

 private:
  struct Source {
    absl::flat_hash_map<space::ConfigurationIndex, double> of;
    double missing = 0;
  };
  std::vector<Source> sources_;
  std::vector<space::ConfigurationIndex> ranking_;
  double cut_ = 0;
  double deviation_ = 1;
};

// Weights b of the sources, none below 0, that explain `targets` best and stray least from equal
// ones that sum to 1: least |y − A b|² + strength |b − 1/S|², both centred, by coordinate descent.
// `predictions`: one row for each target.
std::vector<double> SourceWeights(const std::vector<std::vector<double>>& predictions,
                                  const std::vector<double>& targets, double strength);

}  // namespace burnish::search
