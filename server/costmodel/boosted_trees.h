// Gradient-boosted trees (T. Chen and C. Guestrin, "XGBoost: A Scalable Tree Boosting System", KDD
// 2016) over rows of features: an ensemble of boosters, each trained on a bootstrap sample of the
// rows, so that their spread says how much is known about a prediction.
//
// The same rows and options give the same model: one thread, fixed seeds. Prediction is
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

namespace burnish::costmodel {

enum class TreeObjective {
  kRegression,  // squared error of the target
  kRank,      // pairs of rows in the order of their targets (LambdaRank); predictions have no unit
  kLogistic,  // targets 0 and 1; predicts the probability of 1
};

struct TreeOptions {
  TreeObjective objective = TreeObjective::kRegression;
  int members = 4;  // of the ensemble
  int rounds = 50;  // trees of each member
  int depth = 5;
  double learning_rate = 0.2;
  double base_score = 0;  // what is predicted without a reason to; for kLogistic within (0, 1)
  uint64_t seed = 0;
};

struct TreePrediction {
  double mean = 0;
  double deviation = 0;  // of the members
};

class BoostedTrees {
 public:
  // `rows` holds `columns` features for each target. InvalidArgument without targets or columns,
  // or where a value is not finite; Internal for what the library says.
  static absl::StatusOr<BoostedTrees> Train(std::span<const float> rows, size_t columns,
                                            std::span<const float> targets,
                                            const TreeOptions& options);
  // For each row of the columns it was trained on.
  absl::StatusOr<std::vector<TreePrediction>> Predict(std::span<const float> rows) const;

 private:
  struct FreeBooster {
    void operator()(void* booster) const;
  };
  using Booster = std::unique_ptr<void, FreeBooster>;

  BoostedTrees() = default;
  static absl::StatusOr<Booster> TrainMember(std::span<const float> rows, size_t columns,
                                             std::span<const float> targets,
                                             const TreeOptions& options, int member);

  size_t columns_ = 0;
  std::vector<Booster> members_;
};

}  // namespace burnish::costmodel
