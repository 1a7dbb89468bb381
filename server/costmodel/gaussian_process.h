// Gaussian-process regression with a Matérn 5/2 kernel that has a length scale for each coordinate
// (C. E. Rasmussen and C. K. I. Williams, "Gaussian Processes for Machine Learning", 2006), its
// parameters at the maximum of their posterior.
//
// Targets are standardised, coordinates in [0, 1]; the priors below belong to that scale.
// Deterministic. Not thread-safe.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <cstddef>
#include <vector>

namespace burnish::costmodel {

// All natural logarithms.
struct Kernel {
  explicit Kernel(size_t dimensions);  // at the modes of the priors

  Eigen::VectorXd log_length;  // one per coordinate
  double log_scale = 0;        // standard deviation of the function
  double log_noise = 0;        // standard deviation of an observation
};

// The kernel's value as a function of the distance r = √(5 Σ (Δx/length)²), for a scale of 1.
inline double Matern(double r) { return (1 + r + r * r / 3) * std::exp(-r); }

// The kernel under which `targets` at `points` (one row each) are most probable, given the priors,
// from `start` on: `iterations` steps of Rprop (M. Riedmiller and H. Braun, ICNN 1993) on the
// gradient, of which the best is kept.
Kernel FitKernel(const Eigen::MatrixXd& points, const Eigen::VectorXd& targets, const Kernel& start,
                 int iterations);

// What is known of the function at a growing set of candidates, given observations at some of them.
//
// For candidates X and observed points S it keeps V = L⁻¹ K(S, X), where L Lᵀ = K(S, S) + noise: an
// observation more costs one pass over V, and so does a prediction, O(observed × candidates).
class Posterior {
 public:
  // `capacity`: observations there will be at most.
  Posterior(const Kernel& kernel, size_t capacity);

  // Candidates are numbered from 0 on. `points` has one row each.
  void AddCandidates(const Eigen::ArrayXXf& points);
  size_t candidates() const { return static_cast<size_t>(variance_.size()); }

  // Observes candidates, in one step when there was none before. Those whose targets are not known
  // yet count too: they reduce the variance.
  void Observe(const std::vector<size_t>& candidates);
  size_t observed() const { return observed_.size(); }
  size_t capacity() const { return capacity_; }

  // `targets`: one per observation, in order; NaN: not known yet. Such a one is believed to be the
  // mean that the others give it, so that it moves no mean.
  Eigen::ArrayXf Mean(const Eigen::VectorXd& targets) const;
  // The same for the points of any candidates and of none: what `targets` weigh there.
  Eigen::VectorXd Weights(const Eigen::VectorXd& targets) const;
  struct Belief {
    double mean = 0;
    double variance = 0;            // of the function, without noise; at least 0
    Eigen::VectorXd mean_gradient;  // by the coordinates of the point
    Eigen::VectorXd variance_gradient;
  };
  // At least one has been observed.
  Belief At(const Eigen::VectorXd& point, const Eigen::VectorXd& weights, bool gradient) const;
  // Of the function, without noise; at least 0.
  const Eigen::ArrayXf& variance() const { return variance_; }

 private:
  // Kernels between a candidate and all from `first` on.
  Eigen::ArrayXf KernelRow(size_t candidate, size_t first) const;
  // K(S, S) with noise, and its factor.
  void Factorise();
  // V for the candidates from `first` on.
  void Solve(size_t first);
  void ObserveOne(size_t candidate);
  Eigen::VectorXd WithBeliefs(const Eigen::VectorXd& targets) const;

  const size_t capacity_;
  const float scale2_;
  const double noise2_;
  const Eigen::ArrayXf weight_;   // √5 / length, by coordinate
  Eigen::ArrayXXf points_;        // candidates × coordinates, weighted
  Eigen::MatrixXf v_;             // capacity × candidates, filled down to observed()
  Eigen::ArrayXf variance_;       // by candidate
  Eigen::MatrixXd factor_;        // L, capacity × capacity
  std::vector<size_t> observed_;  // candidates in order of observation
};

}  // namespace burnish::costmodel
