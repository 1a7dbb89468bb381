#include "server/costmodel/feasibility.h"

#include <algorithm>

#include "common/base/status_macros.h"

namespace burnish::costmodel {

absl::StatusOr<Feasibility> Feasibility::Learn(std::span<const float> rows, size_t columns,
                                               const std::vector<bool>& succeeded, uint64_t seed) {
  Feasibility feasibility;
  feasibility.columns_ = columns;
  const auto successes = std::ranges::count(succeeded, true);
  const auto outcomes = static_cast<std::ptrdiff_t>(succeeded.size());
  feasibility.share_ = (static_cast<double>(successes) + 1) / (static_cast<double>(outcomes) + 2);
  if (successes == 0 || successes == outcomes) return feasibility;
  const std::vector<float> targets(succeeded.begin(), succeeded.end());
  ASSIGN_OR_RETURN(feasibility.trees_, BoostedTrees::Train(rows, columns, targets,
                                                           {.objective = TreeObjective::kLogistic,
                                                            .base_score = feasibility.share_,
                                                            .seed = seed}));
  return feasibility;
}

absl::StatusOr<std::vector<double>> Feasibility::Probability(std::span<const float> rows) const {
  std::vector<double> probabilities(rows.size() / columns_, share_);
  if (!trees_) return probabilities;
  ASSIGN_OR_RETURN(const std::vector<TreePrediction> predictions, trees_->Predict(rows));
  std::ranges::transform(predictions, probabilities.begin(), &TreePrediction::mean);
  return probabilities;
}

}  // namespace burnish::costmodel
