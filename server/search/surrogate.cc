#include "server/search/surrogate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "common/space/neighbours.h"

namespace burnish::search {
namespace {

// Chosen on measured spaces of GPU kernels.
constexpr double kGrowthToRefit = 1.2;
constexpr int kFirstIterations = 40;
constexpr int kIterations = 20;
// The kernel is fitted to this many observations: the best, and a sample of the others.
constexpr size_t kBestFitted = 100;
constexpr size_t kOthersFitted = 50;
constexpr size_t kCentres = 10;  // the fastest, whose neighbours are candidates in large spaces
constexpr size_t kRoom = 32;     // in a posterior, for trials to come

}  // namespace

Surrogate::Surrogate(const space::SearchSpace& space, CandidatePool::Source candidates)
    : space_(space), encoding_(space), pool_(space, candidates), kernel_(encoding_.dimensions()) {}

Surrogate::Belief Surrogate::Update(const TrialLog& trials, const std::vector<double>& targets,
                                    RandomStream& random) {
  const bool stale = static_cast<double>(trials.observed()) >=
                     kGrowthToRefit * static_cast<double>(observed_at_fit_) + 1;
  const bool full =
      posterior_ && posterior_->observed() + trials.size() - seen_ > posterior_->capacity();
  if (stale) FitKernelTo(trials, targets, random);
  if (stale || full || !posterior_) {
    Refit(trials, targets, random);
  } else {
    InsertCandidates(trials, 1);
    AddCandidatesToPosterior();
    std::vector<size_t> candidates;
    for (; seen_ < trials.size(); ++seen_) {
      modelled_.push_back(seen_);
      candidates.push_back(pool_.Insert(trials.indices()[seen_]));
    }
    posterior_->Observe(candidates);
  }
  Eigen::VectorXd modelled(static_cast<Eigen::Index>(modelled_.size()));
  for (size_t i = 0; i < modelled_.size(); ++i) modelled[i] = targets[modelled_[i]];
  weights_ = posterior_->Weights(modelled);
  return {posterior_->Mean(modelled), posterior_->variance().sqrt()};
}

costmodel::Posterior::Belief Surrogate::At(const Eigen::VectorXd& point, bool gradient) const {
  return posterior_->At(point, weights_, gradient);
}

Eigen::VectorXd Surrogate::Encode(space::ConfigurationIndex index) const {
  Eigen::VectorXf point(static_cast<Eigen::Index>(encoding_.dimensions()));
  encoding_.Encode(space_.RowAt(index), point.data());
  return point.cast<double>();
}

void Surrogate::Refit(const TrialLog& trials, const std::vector<double>& targets,
                      RandomStream& random) {
  modelled_.resize(trials.size());
  std::iota(modelled_.begin(), modelled_.end(), size_t{0});
  if (trials.size() > kMostModelled) {
    // The latest half, with what is pending; of the older ones the best.
    const auto older = modelled_.end() - kMostModelled / 2;
    const auto rank = [&](size_t trial) {  // a NaN has no place in an order
      return std::isnan(targets[trial]) ? std::numeric_limits<double>::infinity() : targets[trial];
    };
    std::partial_sort(modelled_.begin(), modelled_.begin() + kMostModelled / 2, older,
                      [&](size_t a, size_t b) { return rank(a) < rank(b); });
    modelled_.erase(modelled_.begin() + kMostModelled / 2, older);
  }
  pool_.Redraw(random);
  InsertCandidates(trials, kCentres);
  std::vector<size_t> candidates;
  for (const size_t trial : modelled_) candidates.push_back(pool_.Insert(trials.indices()[trial]));
  posterior_.emplace(kernel_, modelled_.size() + modelled_.size() / 4 + kRoom);
  AddCandidatesToPosterior();
  posterior_->Observe(candidates);
  seen_ = trials.size();
}

void Surrogate::FitKernelTo(const TrialLog& trials, const std::vector<double>& targets,
                            RandomStream& random) {
  std::vector<size_t> fitted;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (!std::isnan(targets[i])) fitted.push_back(i);
  }
  if (fitted.size() > kBestFitted + kOthersFitted) {
    std::ranges::stable_sort(fitted, {}, [&](size_t trial) { return targets[trial]; });
    for (size_t i = 0; i < kOthersFitted; ++i) {
      const size_t place = kBestFitted + i;
      std::swap(fitted[place], fitted[place + random.UniformBelow(fitted.size() - place)]);
    }
    fitted.resize(kBestFitted + kOthersFitted);
  }
  const auto n = static_cast<Eigen::Index>(fitted.size());
  Eigen::MatrixXd points(n, static_cast<Eigen::Index>(encoding_.dimensions()));
  Eigen::VectorXd chosen(n);
  std::vector<float> point(encoding_.dimensions());
  for (Eigen::Index i = 0; i < n; ++i) {
    encoding_.Encode(space_.RowAt(trials.indices()[fitted[i]]), point.data());
    for (size_t j = 0; j < point.size(); ++j) points(i, static_cast<Eigen::Index>(j)) = point[j];
    chosen(i) = targets[fitted[i]];
  }
  kernel_ = costmodel::FitKernel(points, chosen, kernel_,
                                 observed_at_fit_ == 0 ? kFirstIterations : kIterations);
  observed_at_fit_ = trials.observed();
}

void Surrogate::InsertCandidates(const TrialLog& trials, size_t centres) {
  if (pool_.whole()) return;
  for (const space::ConfigurationIndex index : trials.indices()) pool_.Insert(index);
  if (centres == 1 && centre_ == trials.best()) return;
  centre_ = trials.best();
  for (const size_t trial : trials.Fastest(centres)) {
    for (const auto neighbour : space::HammingNeighbours(space_, trials.indices()[trial])) {
      pool_.Insert(neighbour);
    }
  }
}

void Surrogate::AddCandidatesToPosterior() {
  if (posterior_->candidates() == pool_.size()) return;
  posterior_->AddCandidates(Points(posterior_->candidates()));
}

Eigen::ArrayXXf Surrogate::Points(size_t first) const {
  Eigen::ArrayXXf points(static_cast<Eigen::Index>(pool_.size() - first),
                         static_cast<Eigen::Index>(encoding_.dimensions()));
  std::vector<float> point(encoding_.dimensions());
  for (size_t i = first; i < pool_.size(); ++i) {
    encoding_.Encode(space_.RowAt(pool_.At(i)), point.data());
    for (size_t j = 0; j < point.size(); ++j) {
      points(static_cast<Eigen::Index>(i - first), static_cast<Eigen::Index>(j)) = point[j];
    }
  }
  return points;
}

}  // namespace burnish::search
