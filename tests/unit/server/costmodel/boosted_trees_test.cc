#include "server/costmodel/boosted_trees.h"

#include <cmath>

#include "common/base/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/costmodel/metrics.h"

namespace burnish::costmodel {
namespace {

constexpr size_t kColumns = 3;

struct Data {
  std::vector<float> rows;
  std::vector<float> targets;
};

// A target that depends on two of three features, one of them by a step.
Data MakeData(uint64_t seed, size_t count) {
  RandomStream random(seed, "data");
  Data data;
  for (size_t i = 0; i < count; ++i) {
    const double a = random.UniformReal();
    const double b = random.UniformReal();
    for (const double value : {a, b, random.UniformReal()}) {
      data.rows.push_back(static_cast<float>(value));
    }
    data.targets.push_back(static_cast<float>((a - 0.3) * (a - 0.3) + (b > 0.5 ? 0.4 : 0)));
  }
  return data;
}

std::vector<double> Means(const BoostedTrees& trees, const std::vector<float>& rows) {
  const auto predictions = trees.Predict(rows);
  EXPECT_TRUE(predictions.ok()) << predictions.status();
  std::vector<double> means;
  for (const TreePrediction& prediction : *predictions) means.push_back(prediction.mean);
  return means;
}

std::vector<double> Doubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

TEST(BoostedTrees, LearnTheOrderByRankAndByRegression) {
  const Data seen = MakeData(1, 100);
  const Data unseen = MakeData(2, 200);
  for (const TreeObjective objective : {TreeObjective::kRank, TreeObjective::kRegression}) {
    const auto trees =
        BoostedTrees::Train(seen.rows, kColumns, seen.targets, {.objective = objective});
    ASSERT_TRUE(trees.ok()) << trees.status();
    const std::vector<double> predicted = Means(*trees, unseen.rows);
    EXPECT_GT(SpearmanCorrelation(predicted, Doubles(unseen.targets)), 0.85);
    EXPECT_LT(RegretAt(predicted, Doubles(unseen.targets), 10), 1);
  }
}

TEST(BoostedTrees, PredictTargetsByRegressionAndProbabilitiesByTheLogisticLoss) {
  Data seen = MakeData(1, 200);
  const auto regression = BoostedTrees::Train(seen.rows, kColumns, seen.targets, {});
  ASSERT_TRUE(regression.ok()) << regression.status();
  const std::vector<float> unseen = {0.3f, 0.2f, 0.5f, 0.3f, 0.9f, 0.5f};
  EXPECT_THAT(Means(*regression, unseen),
              testing::ElementsAre(testing::DoubleNear(0, 0.05), testing::DoubleNear(0.4, 0.05)));
  for (float& target : seen.targets) target = target < 0.3f;
  const auto logistic =
      BoostedTrees::Train(seen.rows, kColumns, seen.targets,
                          {.objective = TreeObjective::kLogistic, .base_score = 0.5});
  ASSERT_TRUE(logistic.ok()) << logistic.status();
  EXPECT_THAT(Means(*logistic, unseen),
              testing::ElementsAre(testing::AllOf(testing::Gt(0.9), testing::Le(1)),
                                   testing::AllOf(testing::Lt(0.1), testing::Ge(0))));
}

TEST(BoostedTrees, AreSurerWhereTheyHaveSeenMuch) {
  // Dense on the left, two rows that disagree on the right.
  std::vector<float> rows;
  std::vector<float> targets;
  for (int i = 0; i < 50; ++i) {
    rows.push_back(0.01f * static_cast<float>(i));
    targets.push_back(0);
  }
  rows.insert(rows.end(), {0.9f, 0.91f});
  targets.insert(targets.end(), {1, -1});
  const auto trees = BoostedTrees::Train(rows, 1, targets, {.members = 8});
  ASSERT_TRUE(trees.ok()) << trees.status();
  const std::vector<float> asked = {0.1f, 0.91f};
  const auto predictions = trees->Predict(asked);
  ASSERT_TRUE(predictions.ok()) << predictions.status();
  EXPECT_LT((*predictions)[0].deviation, 0.01);
  EXPECT_GT((*predictions)[1].deviation, 0.1);
}

TEST(BoostedTrees, AreTheSameWhenTrainedAgainAndOthersUnderAnotherSeed) {
  const Data data = MakeData(1, 60);
  for (const TreeObjective objective : {TreeObjective::kRank, TreeObjective::kRegression}) {
    const auto predict = [&](uint64_t seed) {
      const auto trees = BoostedTrees::Train(data.rows, kColumns, data.targets,
                                             {.objective = objective, .seed = seed});
      return Means(*trees, data.rows);
    };
    EXPECT_EQ(predict(1), predict(1));
    EXPECT_NE(predict(1), predict(2));
  }
}

TEST(BoostedTrees, LearnFromOneRowAndFromEqualTargets) {
  for (const TreeObjective objective : {TreeObjective::kRank, TreeObjective::kRegression}) {
    for (const size_t count : {1, 5}) {
      const auto trees =
          BoostedTrees::Train(std::vector<float>(count, 0.5f), 1, std::vector<float>(count, 2.0f),
                              {.objective = objective});
      ASSERT_TRUE(trees.ok()) << trees.status();
      EXPECT_TRUE(std::isfinite(Means(*trees, {0.5f}).front()));
    }
  }
}

TEST(BoostedTrees, RefuseWhatIsNotFiniteOrNotThere) {
  const std::vector<float> one = {1};
  EXPECT_FALSE(BoostedTrees::Train({}, 1, {}, {}).ok());
  EXPECT_FALSE(BoostedTrees::Train(one, 0, one, {}).ok());
  EXPECT_FALSE(BoostedTrees::Train(one, 1, std::vector<float>{1, 2}, {}).ok());
  EXPECT_FALSE(BoostedTrees::Train(one, 1, std::vector<float>{std::nanf("")}, {}).ok());
  EXPECT_FALSE(BoostedTrees::Train(std::vector<float>{INFINITY}, 1, one, {}).ok());
}

TEST(BoostedTrees, ReportWhatTheLibraryRefuses) {
  const std::vector<float> values = {1, 2};
  const auto trees = BoostedTrees::Train(values, 1, values, {.depth = -1});
  EXPECT_EQ(trees.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(trees.status().message(), testing::HasSubstr("max_depth"));
}

}  // namespace
}  // namespace burnish::costmodel
