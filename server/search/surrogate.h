// A Gaussian process over the configurations of a space, kept up with the trials of a search.
//
// It is refitted when a fifth more has been observed; in between each new trial is added to it. Of
// more than kMostModelled trials the fastest and the latest are modelled. Not thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "common/base/random.h"
#include "server/costmodel/encoding.h"
#include "server/costmodel/gaussian_process.h"
#include "server/search/candidate_pool.h"
#include "server/search/trial_log.h"

namespace burnish::search {

class Surrogate {
 public:
  static constexpr size_t kMostModelled = 512;

  // The space outlives the surrogate.
  explicit Surrogate(const space::SearchSpace& space,
                     CandidatePool::Source candidates = CandidatePool::Source::kSpace);

  struct Belief {
    Eigen::ArrayXf mean;       // by candidate
    Eigen::ArrayXf deviation;  // of the function, without noise
  };
  // `targets`: by trial; NaN: pending. At least one is none. Trials only ever grow.
  Belief Update(const TrialLog& trials, const std::vector<double>& targets, RandomStream& random);

  // What the last Update believes of any point, as the encoding makes them of configurations.
  costmodel::Posterior::Belief At(const Eigen::VectorXd& point, bool gradient = false) const;
  Eigen::VectorXd Encode(space::ConfigurationIndex index) const;
  const costmodel::Encoding& encoding() const { return encoding_; }

  // Candidates are numbered as in the last Belief.
  const CandidatePool& candidates() const { return pool_; }

 private:
  void Refit(const TrialLog& trials, const std::vector<double>& targets, RandomStream& random);
  void FitKernelTo(const TrialLog& trials, const std::vector<double>& targets,
                   RandomStream& random);
  // Makes trials, and in large spaces the neighbours of the fastest, candidates.
  void InsertCandidates(const TrialLog& trials, size_t centres);
  void AddCandidatesToPosterior();
  Eigen::ArrayXXf Points(size_t first) const;

  const space::SearchSpace& space_;
  const costmodel::Encoding encoding_;
  CandidatePool pool_;
  costmodel::Kernel kernel_;
  std::optional<costmodel::Posterior> posterior_;
  Eigen::VectorXd weights_;       // of the posterior
  std::vector<size_t> modelled_;  // trials, in the posterior's order
  size_t seen_ = 0;               // trials that the posterior has or leaves out
  size_t observed_at_fit_ = 0;
  std::optional<size_t> centre_;  // the trial whose neighbours became candidates last
};

}  // namespace burnish::search
