#include "server/costmodel/gaussian_process.h"

#include <algorithm>

#include "common/base/check.h"

namespace burnish::costmodel {
namespace {

constexpr double kJitter = 1e-5;  // of predictions, in variance

}  // namespace

Posterior::Posterior(const Kernel& kernel, size_t capacity)
    : capacity_(capacity),
      scale2_(static_cast<float>(std::exp(2 * kernel.log_scale))),
      noise2_(std::exp(2 * kernel.log_noise) + kJitter),
      weight_((std::sqrt(5.0) * (-kernel.log_length).array().exp()).cast<float>()),
      points_(0, kernel.log_length.size()),
      factor_(capacity, capacity) {}

void Posterior::AddCandidates(const Eigen::ArrayXXf& points) {
  CHECK(points.cols() == weight_.size());
  const Eigen::Index first = points_.rows();
  const Eigen::Index count = first + points.rows();
  points_.conservativeResize(count, Eigen::NoChange);
  points_.bottomRows(points.rows()) = points.rowwise() * weight_.transpose();
  v_.conservativeResize(static_cast<Eigen::Index>(capacity_), count);
  variance_.conservativeResize(count);
  Solve(static_cast<size_t>(first));
}

void Posterior::Observe(const std::vector<size_t>& candidates) {
  CHECK(observed() + candidates.size() <= capacity_);
  if (!observed_.empty()) {
    for (const size_t candidate : candidates) ObserveOne(candidate);
    return;
  }
  observed_ = candidates;
  Factorise();
  Solve(0);
}

Eigen::ArrayXf Posterior::KernelRow(size_t candidate, size_t first) const {
  const Eigen::Index count = points_.rows() - static_cast<Eigen::Index>(first);
  const auto point = static_cast<Eigen::Index>(candidate);
  Eigen::ArrayXf r = Eigen::ArrayXf::Zero(count);
  for (Eigen::Index j = 0; j < points_.cols(); ++j) {
    r += (points_.col(j).tail(count) - points_(point, j)).square();
  }
  r = r.sqrt();
  return scale2_ * (1 + r + r.square() * (1.0F / 3)) * (-r).exp();
}

void Posterior::Factorise() {
  const auto n = static_cast<Eigen::Index>(observed());
  Eigen::MatrixXd k(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto a = static_cast<Eigen::Index>(observed_[i]);
    for (Eigen::Index j = 0; j <= i; ++j) {
      const auto b = static_cast<Eigen::Index>(observed_[j]);
      const double r2 = (points_.row(a) - points_.row(b)).cast<double>().square().sum();
      k(i, j) = scale2_ * Matern(std::sqrt(r2));
    }
    k(i, i) += noise2_;
  }
  factor_.topLeftCorner(n, n) = k.selfadjointView<Eigen::Lower>().llt().matrixL();
}

void Posterior::Solve(size_t first) {
  const auto n = static_cast<Eigen::Index>(observed());
  const Eigen::Index count = points_.rows() - static_cast<Eigen::Index>(first);
  auto v = v_.block(0, static_cast<Eigen::Index>(first), n, count);
  for (Eigen::Index i = 0; i < n; ++i) v.row(i) = KernelRow(observed_[i], first).matrix();
  const Eigen::MatrixXf factor = factor_.topLeftCorner(n, n).cast<float>();
  factor.triangularView<Eigen::Lower>().solveInPlace(v);
  variance_.tail(count) = (scale2_ - v.colwise().squaredNorm().transpose().array()).max(0);
}

void Posterior::ObserveOne(size_t candidate) {
  const auto n = static_cast<Eigen::Index>(observed());
  const Eigen::VectorXf left = v_.col(static_cast<Eigen::Index>(candidate)).head(n);
  const double corner =
      std::sqrt(std::max(scale2_ + noise2_ - static_cast<double>(left.squaredNorm()), kJitter));
  Eigen::ArrayXf row = KernelRow(candidate, 0);
  if (n > 0) row -= (v_.topRows(n).transpose() * left).array();
  row /= static_cast<float>(corner);
  v_.row(n) = row.matrix();
  variance_ = (variance_ - row.square()).max(0);
  factor_.row(n).head(n) = left.cast<double>();
  factor_(n, n) = corner;
  observed_.push_back(candidate);
}

// With M = (K + noise)⁻¹ the mean is k(x)ᵀ M y. A target that is what the others predict has a
// weight (M y)_p of 0, so the unknown ones follow from M_pp y_p = −M_pk y_k.
Eigen::VectorXd Posterior::WithBeliefs(const Eigen::VectorXd& targets) const {
  const Eigen::Index n = targets.size();
  std::vector<Eigen::Index> unknown;
  Eigen::VectorXd known = targets;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!std::isnan(targets(i))) continue;
    unknown.push_back(i);
    known(i) = 0;
  }
  if (unknown.empty()) return known;
  const auto m = static_cast<Eigen::Index>(unknown.size());
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(n, m);
  for (Eigen::Index p = 0; p < m; ++p) columns(unknown[p], p) = 1;
  const auto factor = factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>();
  factor.solveInPlace(columns);
  const Eigen::MatrixXd corner = columns.transpose() * columns;
  const Eigen::VectorXd solved = factor.solve(known);
  const Eigen::VectorXd beliefs = -corner.llt().solve(columns.transpose() * solved);
  for (Eigen::Index p = 0; p < m; ++p) known(unknown[p]) = beliefs(p);
  return known;
}

Eigen::ArrayXf Posterior::Mean(const Eigen::VectorXd& targets) const {
  const auto n = static_cast<Eigen::Index>(observed());
  CHECK(targets.size() == n);
  const Eigen::VectorXd solved =
      factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>().solve(WithBeliefs(targets));
  return (v_.topRows(n).transpose() * solved.cast<float>()).array();
}

Eigen::VectorXd Posterior::Weights(const Eigen::VectorXd& targets) const {
  const auto n = static_cast<Eigen::Index>(observed());
  CHECK(targets.size() == n);
  Eigen::VectorXd weights = WithBeliefs(targets);
  const auto factor = factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>();
  factor.solveInPlace(weights);
  factor.adjoint().solveInPlace(weights);
  return weights;
}

// With r as in Matern, k′(r) / r is −(1 + r) e^−r / 3: no division by a distance of 0.
Posterior::Belief Posterior::At(const Eigen::VectorXd& point, const Eigen::VectorXd& weights,
                                bool gradient) const {
  const auto n = static_cast<Eigen::Index>(observed());
  const Eigen::ArrayXd weight = weight_.cast<double>();
  Eigen::MatrixXd apart(n, point.size());  // weighted, from each observation
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto candidate = static_cast<Eigen::Index>(observed_[i]);
    apart.row(i) = (point.array() * weight).matrix().transpose() -
                   points_.row(candidate).cast<double>().matrix();
  }
  const Eigen::ArrayXd r = apart.rowwise().norm().array();
  const Eigen::ArrayXd decay = scale2_ * (-r).exp();
  const Eigen::VectorXd kernel = (decay * (1 + r + r.square() / 3)).matrix();
  const auto factor = factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>();
  const Eigen::VectorXd v = factor.solve(kernel);
  Belief belief{.mean = kernel.dot(weights), .variance = std::max(scale2_ - v.squaredNorm(), 0.0)};
  if (!gradient) return belief;
  const Eigen::ArrayXd slope = decay * (1 + r) / -3;
  const auto by_coordinates = [&](const Eigen::VectorXd& of_kernel) {
    const Eigen::VectorXd sums = apart.transpose() * (slope * of_kernel.array()).matrix();
    return Eigen::VectorXd(sums.array() * weight);
  };
  belief.mean_gradient = by_coordinates(weights);
  belief.variance_gradient = -2 * by_coordinates(factor.adjoint().solve(v));
  return belief;
}

}  // namespace burnish::costmodel
