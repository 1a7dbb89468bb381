#include <algorithm>
#include <limits>

#include "common/base/check.h"
#include "server/costmodel/gaussian_process.h"

namespace burnish::costmodel {
namespace {

constexpr double kJitter = 1e-6;  // of the likelihood, in variance

// Normal priors of the logarithms, and bounds.
struct Prior {
  double mean;
  double deviation;
  double least;
  double largest;
};
const Prior kLength = {std::log(1.5), 1, std::log(0.03), std::log(20)};
const Prior kScale = {0, 1, -3, 3};
const Prior kNoise = {std::log(0.03), 1, std::log(1e-3), 0};

// Logarithms of the lengths, the scale and the noise in one vector, as the optimiser sees them.
using Parameters = Eigen::VectorXd;

const Prior& PriorOf(Eigen::Index i, Eigen::Index dimensions) {
  return i < dimensions ? kLength : i == dimensions ? kScale : kNoise;
}

// The logarithm of the posterior of a kernel's parameters, up to a constant, and its gradient.
class LogPosterior {
 public:
  LogPosterior(const Eigen::MatrixXd& points, const Eigen::VectorXd& targets) : targets_(targets) {
    for (Eigen::Index j = 0; j < points.cols(); ++j) {
      const Eigen::VectorXd column = points.col(j);
      const Eigen::Index n = column.size();
      squares_.emplace_back(
          (column.replicate(1, n) - column.transpose().replicate(n, 1)).array().square());
    }
  }

  // −∞ where the kernel's matrix has no factor.
  double operator()(const Parameters& at, Eigen::VectorXd& gradient) const {
    const auto d = static_cast<Eigen::Index>(squares_.size());
    const Eigen::Index n = targets_.size();
    Eigen::ArrayXXd r2 = Eigen::ArrayXXd::Zero(n, n);
    for (Eigen::Index j = 0; j < d; ++j) r2 += squares_[j] * std::exp(-2 * at(j));
    const Eigen::ArrayXXd r = (5 * r2).sqrt();
    const Eigen::ArrayXXd decay = std::exp(2 * at(d)) * (-r).exp();
    const Eigen::MatrixXd signal = (decay * (1 + r + r.square() / 3)).matrix();
    const double noise2 = std::exp(2 * at(d + 1));
    Eigen::MatrixXd k = signal;
    k.diagonal().array() += noise2 + kJitter;
    const Eigen::LLT<Eigen::MatrixXd> factor(k);
    if (factor.info() != Eigen::Success) return -std::numeric_limits<double>::infinity();
    const Eigen::MatrixXd inverse = factor.solve(Eigen::MatrixXd::Identity(n, n));
    const Eigen::VectorXd alpha = inverse * targets_;
    double value = -0.5 * targets_.dot(alpha) - factor.matrixLLT().diagonal().array().log().sum();
    // Half of it, times the derivative of the kernel's matrix, sums to the gradient.
    const Eigen::ArrayXXd weight = (alpha * alpha.transpose() - inverse).array();
    const Eigen::ArrayXXd slope = weight * decay * (1 + r) * (5.0 / 3);
    gradient.resize(d + 2);
    for (Eigen::Index j = 0; j < d; ++j) {
      gradient(j) = 0.5 * (slope * squares_[j]).sum() * std::exp(-2 * at(j));
    }
    gradient(d) = (weight * signal.array()).sum();
    gradient(d + 1) = noise2 * weight.matrix().trace();
    for (Eigen::Index i = 0; i < d + 2; ++i) {
      const Prior& prior = PriorOf(i, d);
      const double deviation = (at(i) - prior.mean) / prior.deviation;
      value -= 0.5 * deviation * deviation;
      gradient(i) -= deviation / prior.deviation;
    }
    return value;
  }

 private:
  const Eigen::VectorXd& targets_;
  std::vector<Eigen::ArrayXXd> squares_;  // by coordinate: squared differences of all pairs
};

}  // namespace

Kernel::Kernel(size_t dimensions)
    : log_length(Eigen::VectorXd::Constant(static_cast<Eigen::Index>(dimensions), kLength.mean)),
      log_scale(kScale.mean),
      log_noise(kNoise.mean) {}

Kernel FitKernel(const Eigen::MatrixXd& points, const Eigen::VectorXd& targets, const Kernel& start,
                 int iterations) {
  CHECK(points.rows() == targets.size() && points.cols() == start.log_length.size());
  constexpr double kFirstStep = 0.15;
  constexpr double kLeastStep = 0.005;
  constexpr double kLargestStep = 0.5;
  const Eigen::Index d = points.cols();
  const LogPosterior log_posterior(points, targets);
  Parameters at(d + 2);
  at << start.log_length, start.log_scale, start.log_noise;
  Parameters best = at;
  double best_value = -std::numeric_limits<double>::infinity();
  Eigen::VectorXd step = Eigen::VectorXd::Constant(d + 2, kFirstStep);
  Eigen::VectorXd last = Eigen::VectorXd::Zero(d + 2);
  Eigen::VectorXd gradient;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const double value = log_posterior(at, gradient);
    if (value == -std::numeric_limits<double>::infinity()) break;
    if (value > best_value) {
      best_value = value;
      best = at;
    }
    for (Eigen::Index i = 0; i < d + 2; ++i) {
      const double agreement = gradient(i) * last(i);
      if (agreement != 0) step(i) *= agreement > 0 ? 1.3 : 0.5;
      step(i) = std::clamp(step(i), kLeastStep, kLargestStep);
      const double direction = gradient(i) > 0 ? 1 : gradient(i) < 0 ? -1 : 0;
      const Prior& prior = PriorOf(i, d);
      at(i) = std::clamp(at(i) + direction * step(i), prior.least, prior.largest);
    }
    last = gradient;
  }
  Kernel kernel(static_cast<size_t>(d));
  kernel.log_length = best.head(d);
  kernel.log_scale = best(d);
  kernel.log_noise = best(d + 1);
  return kernel;
}

}  // namespace burnish::costmodel
