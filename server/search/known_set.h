// The configurations that a strategy has proposed or been told of, and draws from all others.
//
// Draws depend on nothing but the set and the random stream. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "common/base/random.h"
#include "common/space/search_space.h"

namespace burnish::search {

class KnownSet {
 public:
  explicit KnownSet(const space::SearchSpace& space);  // outlives the set

  bool Insert(space::ConfigurationIndex index);  // false: it was there
  bool Contains(space::ConfigurationIndex index) const { return known_.contains(index); }
  uint64_t size() const { return known_.size(); }
  // In a lazy space, whose size is an estimate: about so.
  bool Full() const { return known_.size() >= space_.size(); }

  // Uniform over the unknown configurations, of which there must be one; near-uniform in a lazy
  // space.
  space::ConfigurationIndex DrawUnknown(RandomStream& random) const;
  // An unknown configuration that differs from `index` in one parameter; nothing if all are known.
  std::optional<space::ConfigurationIndex> DrawNeighbour(space::ConfigurationIndex index,
                                                         RandomStream& random) const;
  // As long as a value of a parameter occurs in no known configuration: an unknown one that has it,
  // near a uniform draw; values of the smallest domains first. So the variants of a root parameter
  // are seen early, however small their share of the space is. Else DrawUnknown.
  space::ConfigurationIndex DrawCovering(RandomStream& random) const;

 private:
  // The first one after a random place in the product that a lazy space is part of.
  space::ConfigurationIndex DrawFromProduct(RandomStream& random) const;

  const space::SearchSpace& space_;
  absl::flat_hash_set<space::ConfigurationIndex> known_;
  std::vector<size_t> by_domain_size_;      // parameters, the smallest domain first
  std::vector<std::vector<bool>> covered_;  // by parameter and value
};

}  // namespace burnish::search
