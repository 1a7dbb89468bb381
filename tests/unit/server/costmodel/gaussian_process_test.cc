#include "server/costmodel/gaussian_process.h"

#include <limits>

#include "common/base/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/costmodel/acquisition.h"

namespace burnish::costmodel {
namespace {

constexpr double kJitter = 1e-5;
const double kUnknown = std::numeric_limits<double>::quiet_NaN();

Eigen::ArrayXXf RandomPoints(Eigen::Index count, Eigen::Index dimensions, uint64_t seed) {
  RandomStream random(seed, "points");
  Eigen::ArrayXXf points(count, dimensions);
  for (Eigen::Index i = 0; i < points.size(); ++i) {
    points.data()[i] = static_cast<float>(random.UniformReal());
  }
  return points;
}

Kernel SomeKernel() {
  Kernel kernel(3);
  kernel.log_length << std::log(0.4), std::log(1.5), std::log(5.0);
  kernel.log_scale = std::log(1.3);
  kernel.log_noise = std::log(0.1);
  return kernel;
}

Eigen::MatrixXd KernelMatrix(const Kernel& kernel, const Eigen::ArrayXXf& a,
                             const Eigen::ArrayXXf& b) {
  Eigen::MatrixXd matrix(a.rows(), b.rows());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    for (Eigen::Index j = 0; j < b.rows(); ++j) {
      const Eigen::ArrayXd difference = (a.row(i) - b.row(j)).cast<double>().transpose();
      const double r = std::sqrt(5 * (difference / kernel.log_length.array().exp()).square().sum());
      matrix(i, j) = std::exp(2 * kernel.log_scale) * Matern(r);
    }
  }
  return matrix;
}

struct Reference {
  Eigen::VectorXd mean;
  Eigen::VectorXd variance;
};

// The textbook's formulas.
Reference Regress(const Kernel& kernel, const Eigen::ArrayXXf& points,
                  const std::vector<Eigen::Index>& observed, const Eigen::VectorXd& targets) {
  Eigen::ArrayXXf at(static_cast<Eigen::Index>(observed.size()), points.cols());
  for (size_t i = 0; i < observed.size(); ++i) {
    at.row(static_cast<Eigen::Index>(i)) = points.row(observed[i]);
  }
  Eigen::MatrixXd k = KernelMatrix(kernel, at, at);
  k.diagonal().array() += std::exp(2 * kernel.log_noise) + kJitter;
  const Eigen::MatrixXd cross = KernelMatrix(kernel, at, points);
  const Eigen::MatrixXd solved = k.llt().solve(cross);
  return {.mean = solved.transpose() * targets,
          .variance = std::exp(2 * kernel.log_scale) -
                      (cross.array() * solved.array()).colwise().sum().transpose()};
}

void ExpectEqual(const Posterior& posterior, const Eigen::VectorXd& targets,
                 const Reference& reference) {
  const Eigen::ArrayXf mean = posterior.Mean(targets);
  for (Eigen::Index i = 0; i < mean.size(); ++i) {
    EXPECT_NEAR(mean[i], reference.mean[i], 2e-3) << i;
    EXPECT_NEAR(posterior.variance()[i], reference.variance[i], 2e-3) << i;
  }
}

TEST(Posterior, IsThatOfTheTextbookHoweverObservationsAndCandidatesArrive) {
  const Eigen::ArrayXXf points = RandomPoints(30, 3, 1);
  const Eigen::VectorXd targets = RandomPoints(8, 1, 2).cast<double>().matrix();
  const Reference reference = Regress(SomeKernel(), points, {3, 7, 1, 20, 9, 11, 2, 25}, targets);
  Posterior at_once(SomeKernel(), 8);
  at_once.AddCandidates(points);
  at_once.Observe({3, 7, 1, 20, 9, 11, 2, 25});
  ExpectEqual(at_once, targets, reference);
  Posterior bit_by_bit(SomeKernel(), 10);
  bit_by_bit.AddCandidates(points.topRows(10));
  bit_by_bit.Observe({3, 7});
  bit_by_bit.Observe({1});
  bit_by_bit.AddCandidates(points.bottomRows(20));
  bit_by_bit.Observe({20, 9, 11});
  bit_by_bit.Observe({2, 25});
  EXPECT_EQ(bit_by_bit.candidates(), 30u);
  EXPECT_EQ(bit_by_bit.observed(), 8u);
  ExpectEqual(bit_by_bit, targets, reference);
}

TEST(Posterior, BelievesAnUnknownTargetToBeWhatTheOthersPredict) {
  const Eigen::ArrayXXf points = RandomPoints(20, 3, 3);
  Eigen::VectorXd known(4);
  known << 0.5, -1, 0.25, 2;
  const Reference without = Regress(SomeKernel(), points, {0, 1, 2, 3}, known);
  Posterior posterior(SomeKernel(), 6);
  posterior.AddCandidates(points);
  posterior.Observe({0, 10, 1, 2, 11, 3});
  Eigen::VectorXd targets(6);
  targets << 0.5, kUnknown, -1, 0.25, kUnknown, 2;
  const Eigen::ArrayXf mean = posterior.Mean(targets);
  for (Eigen::Index i = 0; i < mean.size(); ++i) EXPECT_NEAR(mean[i], without.mean[i], 2e-3) << i;
  EXPECT_LT(posterior.variance()[10], 0.5 * without.variance[10]);
}

TEST(Posterior, BelievesTheSameOfAPointAsOfACandidateThere) {
  const Eigen::ArrayXXf points = RandomPoints(20, 3, 5);
  Posterior posterior(SomeKernel(), 6);
  posterior.AddCandidates(points);
  posterior.Observe({0, 10, 1, 2, 11, 3});
  Eigen::VectorXd targets(6);
  targets << 0.5, kUnknown, -1, 0.25, 1, 2;
  const Eigen::ArrayXf mean = posterior.Mean(targets);
  const Eigen::VectorXd weights = posterior.Weights(targets);
  for (Eigen::Index i = 0; i < mean.size(); ++i) {
    const Posterior::Belief belief =
        posterior.At(points.row(i).cast<double>().matrix().transpose(), weights, false);
    EXPECT_NEAR(belief.mean, mean[i], 1e-3);
    EXPECT_NEAR(belief.variance, posterior.variance()[i], 1e-3);
  }
}

TEST(Posterior, KnowsHowBeliefsChangeWithThePoint) {
  constexpr double kStep = 1e-4;
  const Eigen::ArrayXXf points = RandomPoints(12, 3, 6);
  Posterior posterior(SomeKernel(), 6);
  posterior.AddCandidates(points);
  posterior.Observe({0, 1, 2, 3, 4, 5});
  const Eigen::VectorXd weights =
      posterior.Weights(RandomPoints(6, 1, 7).cast<double>().matrix().col(0));
  for (const Eigen::Index i : {0, 5, 8, 11}) {  // two were observed
    const Eigen::VectorXd point = points.row(i).cast<double>().matrix().transpose();
    const Posterior::Belief belief = posterior.At(point, weights, true);
    for (Eigen::Index j = 0; j < 3; ++j) {
      const Eigen::VectorXd step = kStep * Eigen::VectorXd::Unit(3, j);
      const Posterior::Belief before = posterior.At(point - step, weights, false);
      const Posterior::Belief after = posterior.At(point + step, weights, false);
      EXPECT_NEAR(belief.mean_gradient(j), (after.mean - before.mean) / (2 * kStep), 1e-5);
      EXPECT_NEAR(belief.variance_gradient(j), (after.variance - before.variance) / (2 * kStep),
                  1e-5);
    }
  }
}

TEST(SlopeOfLogExpectedImprovement, IsHowItChanges) {
  constexpr double kStep = 1e-5;
  for (const double mean : {-2.0, 0.0, 0.5, 3.0, 8.0}) {
    const auto slope = SlopeOfLogExpectedImprovement(mean, 0.7, 0);
    EXPECT_NEAR(slope.by_mean,
                (LogExpectedImprovement(mean + kStep, 0.7, 0) -
                 LogExpectedImprovement(mean - kStep, 0.7, 0)) /
                    (2 * kStep),
                1e-4);
    EXPECT_NEAR(slope.by_deviation,
                (LogExpectedImprovement(mean, 0.7 + kStep, 0) -
                 LogExpectedImprovement(mean, 0.7 - kStep, 0)) /
                    (2 * kStep),
                1e-4);
  }
}

TEST(FitKernel, FindsWhichCoordinateMatters) {
  const Eigen::MatrixXd points = RandomPoints(60, 3, 4).cast<double>().matrix();
  Eigen::VectorXd targets = (9 * points.col(1).array()).sin();
  targets.array() -= targets.mean();
  targets /= std::sqrt(targets.squaredNorm() / 60);
  const Kernel kernel = FitKernel(points, targets, Kernel(3), 60);
  EXPECT_LT(kernel.log_length[1], std::log(0.8));
  EXPECT_GT(kernel.log_length[0], std::log(2.0));
  EXPECT_GT(kernel.log_length[2], std::log(2.0));
}

TEST(FitKernel, StandsEqualTargetsAndEqualPoints) {
  const Kernel of_equals =
      FitKernel(Eigen::MatrixXd::Constant(5, 2, 0.5), Eigen::VectorXd::Zero(5), Kernel(2), 20);
  EXPECT_TRUE(of_equals.log_length.allFinite());
  EXPECT_TRUE(std::isfinite(of_equals.log_noise));
}

}  // namespace
}  // namespace burnish::costmodel
