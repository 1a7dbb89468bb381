// The probability that a configuration succeeds, learned from outcomes: boosted trees with the
// logistic loss, which start from the share of successes and leave it where outcomes say so.
//
// Before there are outcomes of both kinds it is the same for all configurations: one half without
// outcomes, then nearer to what was seen the more was seen (Laplace's rule of succession).
// Prediction is thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "server/costmodel/boosted_trees.h"

namespace burnish::costmodel {

class Feasibility {
 public:
  // `rows` holds `columns` features for each outcome. Errors are those of BoostedTrees.
  static absl::StatusOr<Feasibility> Learn(std::span<const float> rows, size_t columns,
                                           const std::vector<bool>& succeeded, uint64_t seed);
  // Of each row, within (0, 1).
  absl::StatusOr<std::vector<double>> Probability(std::span<const float> rows) const;

 private:
  Feasibility() = default;

  size_t columns_ = 0;
  double share_ = 0.5;
  std::optional<BoostedTrees> trees_;
};

}  // namespace burnish::costmodel
