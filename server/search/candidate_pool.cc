#include "server/search/candidate_pool.h"

#include <numeric>

namespace burnish::search {

CandidatePool::CandidatePool(const space::SearchSpace& space, Source source)
    : space_(space),
      source_(source),
      whole_(source == Source::kSpace && space.Enumerable() && space.size() <= kAll) {
  if (!whole_) return;
  indices_.resize(space.size());
  std::iota(indices_.begin(), indices_.end(), space::ConfigurationIndex{0});
}

std::optional<size_t> CandidatePool::Find(space::ConfigurationIndex index) const {
  if (whole_) return static_cast<size_t>(index);
  const auto place = candidate_of_.find(index);
  return place == candidate_of_.end() ? std::nullopt : std::optional(place->second);
}

size_t CandidatePool::Insert(space::ConfigurationIndex index) {
  if (whole_) return static_cast<size_t>(index);
  const auto [place, inserted] = candidate_of_.try_emplace(index, indices_.size());
  if (inserted) indices_.push_back(index);
  return place->second;
}

void CandidatePool::Redraw(RandomStream& random) {
  if (whole_) return;
  indices_.clear();
  candidate_of_.clear();
  if (source_ == Source::kInserted) return;
  const uint64_t drawn = space_.Enumerable() ? kDrawn : kDrawnLazily;
  for (uint64_t i = 0; i < drawn; ++i) Insert(space_.Sample(random));
}

}  // namespace burnish::search
