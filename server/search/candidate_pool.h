// The configurations among which a model looks for the next one: all of a small space, a sample of
// a large one that grows around what was found. Not thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/base/random.h"
#include "common/space/search_space.h"

namespace burnish::search {

class CandidatePool {
 public:
  // Up to this many configurations all are candidates; of larger spaces so many, drawn uniformly.
  static constexpr uint64_t kAll = 20'000;
  static constexpr uint64_t kDrawn = 8'000;
  static constexpr uint64_t kDrawnLazily = 1'000;  // of a lazy space, where a draw is dear

  enum class Source {
    kSpace,
    kInserted,  // none but those that are inserted, however small the space is
  };
  // The space outlives the pool.
  explicit CandidatePool(const space::SearchSpace& space, Source source = Source::kSpace);

  bool whole() const { return whole_; }
  size_t size() const { return indices_.size(); }
  space::ConfigurationIndex At(size_t candidate) const { return indices_[candidate]; }
  std::optional<size_t> Find(space::ConfigurationIndex index) const;
  // Its number as a candidate; it becomes one if it was none.
  size_t Insert(space::ConfigurationIndex index);
  // Drops all candidates of a sampled pool and draws others.
  void Redraw(RandomStream& random);

 private:
  const space::SearchSpace& space_;
  const Source source_;
  const bool whole_;
  std::vector<space::ConfigurationIndex> indices_;
  absl::flat_hash_map<space::ConfigurationIndex, size_t> candidate_of_;  // of a sampled pool
};

}  // namespace burnish::search
