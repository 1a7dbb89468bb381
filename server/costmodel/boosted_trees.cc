#include "server/costmodel/boosted_trees.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "xgboost/c_api.h"
namespace burnish::costmodel {
namespace {
absl::Status Checked(int result) {
  if (result == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("XGBoost: ", XGBGetLastError()));
}

struct FreeMatrix {
  void operator()(void* matrix) const { XGDMatrixFree(matrix); }
};
using Matrix = std::unique_ptr<void, FreeMatrix>;

absl::StatusOr<Matrix> MakeMatrix(const std::vector<float>& rows, size_t columns,
                                  const std::vector<float>& targets, TreeObjective objective) {
  DMatrixHandle handle = nullptr;
  RETURN_IF_ERROR(Checked(
      XGDMatrixCreateFromMat(rows.data(), targets.size(), columns, std::nanf(""), &handle)));
  Matrix matrix(handle);
  RETURN_IF_ERROR(Checked(XGDMatrixSetFloatInfo(handle, "label", targets.data(), targets.size())));
  if (objective == TreeObjective::kRank) {
    const unsigned all = static_cast<unsigned>(targets.size());
    RETURN_IF_ERROR(Checked(XGDMatrixSetUIntInfo(handle, "group", &all, 1)));
  }
  return matrix;
}

const char* NameOf(TreeObjective objective) {
  switch (objective) {
    case TreeObjective::kRegression:
      return "reg:squarederror";
    case TreeObjective::kRank:
      return "rank:pairwise";
    case TreeObjective::kLogistic:
      return "binary:logistic";
  }
  return "";
}

}  // namespace

void BoostedTrees::FreeBooster::operator()(void* booster) const { XGBoosterFree(booster); }

absl::StatusOr<BoostedTrees> BoostedTrees::Train(std::span<const float> rows, size_t columns,
                                                 std::span<const float> targets,
                                                 const TreeOptions& options) {
  if (columns == 0 || targets.empty() || rows.size() != columns * targets.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(rows.size(), " features for ", targets.size(), " rows of ", columns));
  }
  const auto is_finite = [](float value) { return std::isfinite(value); };
  if (!std::ranges::all_of(rows, is_finite) || !std::ranges::all_of(targets, is_finite)) {
    return absl::InvalidArgumentError("a feature or a target is not finite");
  }
  BoostedTrees trees;
  trees.columns_ = columns;
  for (int member = 0; member < options.members; ++member) {
    ASSIGN_OR_RETURN(Booster booster, TrainMember(rows, columns, targets, options, member));
    trees.members_.push_back(std::move(booster));
  }
  return trees;
}

absl::StatusOr<BoostedTrees::Booster> BoostedTrees::TrainMember(std::span<const float> rows,
                                                                size_t columns,
                                                                std::span<const float> targets,
                                                                const TreeOptions& options,
                                                                int member) {
  RandomStream random(options.seed, "boosted trees", static_cast<uint64_t>(member));
  std::vector<float> sampled_rows;
  std::vector<float> sampled_targets;
  for (size_t i = 0; i < targets.size(); ++i) {
    const size_t row = random.UniformBelow(targets.size());
    sampled_rows.insert(sampled_rows.end(), rows.begin() + row * columns,
                        rows.begin() + (row + 1) * columns);
    sampled_targets.push_back(targets[row]);
  }
  ASSIGN_OR_RETURN(const Matrix matrix,
                   MakeMatrix(sampled_rows, columns, sampled_targets, options.objective));
  DMatrixHandle handle = matrix.get();
  BoosterHandle created = nullptr;
  RETURN_IF_ERROR(Checked(XGBoosterCreate(&handle, 1, &created)));
  Booster booster(created);
  const std::pair<const char*, std::string> parameters[] = {
      {"objective", NameOf(options.objective)},
      {"max_depth", absl::StrCat(options.depth)},
      {"eta", absl::StrCat(options.learning_rate)},
      {"base_score", absl::StrCat(options.base_score)},
      {"seed", absl::StrCat(random.UniformBelow(1u << 31))},
      {"tree_method", "exact"},
      {"disable_default_eval_metric", "1"},
      {"nthread", "1"},
      {"verbosity", "0"},
  };
  for (const auto& [name, value] : parameters) {
    RETURN_IF_ERROR(Checked(XGBoosterSetParam(booster.get(), name, value.c_str())));
  }
  for (int round = 0; round < options.rounds; ++round) {
    RETURN_IF_ERROR(Checked(XGBoosterUpdateOneIter(booster.get(), round, handle)));
  }
  return booster;
}

absl::StatusOr<std::vector<TreePrediction>> BoostedTrees::Predict(
    std::span<const float> rows) const {
  const size_t count = rows.size() / columns_;
  std::vector<TreePrediction> predictions(count);
  if (count == 0) return predictions;
  const std::string values =
      absl::StrFormat(R"({"data": [%u, true], "shape": [%u, %u], "typestr": "<f4", "version": 3})",
                      reinterpret_cast<uintptr_t>(rows.data()), count, columns_);
  for (const Booster& member : members_) {
    const bst_ulong* shape = nullptr;
    bst_ulong dimensions = 0;
    const float* result = nullptr;
    RETURN_IF_ERROR(Checked(XGBoosterPredictFromDense(
        member.get(), values.c_str(),
        R"({"type": 0, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false,
            "missing": NaN, "cache_id": 0, "training": false})",
        nullptr, &shape, &dimensions, &result)));
    for (size_t i = 0; i < count; ++i) {
      predictions[i].mean += result[i];
      predictions[i].deviation += static_cast<double>(result[i]) * result[i];
    }
  }
  const double n = static_cast<double>(members_.size());
  for (TreePrediction& prediction : predictions) {
    prediction.mean /= n;
    const double variance = prediction.deviation / n - prediction.mean * prediction.mean;
    prediction.deviation = std::sqrt(std::max(variance, 0.0));
  }
  return predictions;
}

}  // namespace burnish::costmodel
