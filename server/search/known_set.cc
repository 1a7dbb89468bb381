#include "server/search/known_set.h"

#include <algorithm>
#include <numeric>

#include "common/base/check.h"
#include "common/space/neighbours.h"

namespace burnish::search {
namespace {

// Draws before the unknown configurations are counted instead: reached in practice only when all
// but a small part of the space is known, which bounds what the counting costs over a whole search.
constexpr int kDraws = 64;
constexpr int kDrawsOfNeighbour = 16;  // before all are looked up

}  // namespace

KnownSet::KnownSet(const space::SearchSpace& space)
    : space_(space), by_domain_size_(space.parameters().size()) {
  std::iota(by_domain_size_.begin(), by_domain_size_.end(), size_t{0});
  std::ranges::stable_sort(by_domain_size_, {},
                           [&](size_t p) { return space_.parameters()[p].values.size(); });
  for (const space::Parameter& parameter : space_.parameters()) {
    covered_.emplace_back(parameter.values.size());
  }
}

bool KnownSet::Insert(space::ConfigurationIndex index) {
  CHECK(index < space_.IndexEnd()) << "configuration " << index << " of " << space_.IndexEnd();
  const space::Row row = space_.RowAt(index);
  for (size_t p = 0; p < covered_.size(); ++p)
    covered_[p][space_.layout().Get(row.data(), p)] = true;
  return known_.insert(index).second;
}

space::ConfigurationIndex KnownSet::DrawUnknown(RandomStream& random) const {
  for (int draw = 0; draw < kDraws; ++draw) {
    const space::ConfigurationIndex index = space_.Sample(random);
    if (!Contains(index)) return index;
  }
  if (!space_.Enumerable()) return DrawFromProduct(random);
  uint64_t rank = random.UniformBelow(space_.size() - known_.size());
  space::ConfigurationIndex index = 0;
  while (Contains(index) || rank-- > 0) ++index;
  return index;
}

std::optional<space::ConfigurationIndex> KnownSet::DrawNeighbour(space::ConfigurationIndex index,
                                                                 RandomStream& random) const {
  for (int draw = 0; draw < kDrawsOfNeighbour; ++draw) {
    const auto neighbour = space::RandomNeighbour(space_, index, random);
    if (neighbour && !Contains(*neighbour)) return neighbour;
  }
  std::vector<space::ConfigurationIndex> unknown = space::HammingNeighbours(space_, index);
  std::erase_if(unknown, [&](space::ConfigurationIndex other) { return Contains(other); });
  if (unknown.empty()) return std::nullopt;
  return unknown[random.UniformBelow(unknown.size())];
}

space::ConfigurationIndex KnownSet::DrawFromProduct(RandomStream& random) const {
  const uint64_t end = space_.IndexEnd();
  const space::ConfigurationIndex start = random.UniformBelow(end);
  for (uint64_t step = 0; step < end; ++step) {
    const space::ConfigurationIndex index = (start + step) % end;
    if (!Contains(index) && space_.Contains(index)) return index;
  }
  return space_.Sample(random);
}

space::ConfigurationIndex KnownSet::DrawCovering(RandomStream& random) const {
  const space::ConfigurationIndex drawn = DrawUnknown(random);
  for (const size_t p : by_domain_size_) {
    for (size_t value = 0; value < covered_[p].size(); ++value) {
      if (covered_[p][value]) continue;
      const std::optional<space::ConfigurationIndex> covering =
          space::WithValue(space_, drawn, p, value, random);
      if (covering) return *covering;  // unknown, as its value is not covered
    }
  }
  return drawn;
}

}  // namespace burnish::search
