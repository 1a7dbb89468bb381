#include "common/space/neighbours.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "common/base/check.h"

namespace burnish::space {
namespace {

// Draws of RandomNeighbour before it enumerates: a neighbourhood of which one in ten is valid is
// nearly always found by drawing.
constexpr int kDraws = 32;

bool HasOrder(const Parameter& parameter) {
  return std::ranges::none_of(parameter.values, [](const expr::Value& value) {
    return std::holds_alternative<std::string>(value);
  });
}

double Number(const expr::Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? 1 : 0;
  if (const auto* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
  return std::get<double>(value);
}

// Whether no value of the ordered domain lies between values a and b.
bool OneStepApart(const Parameter& parameter, size_t a, size_t b) {
  const double one = Number(parameter.values[a]);
  const double other = Number(parameter.values[b]);
  return std::ranges::none_of(parameter.values, [&](const expr::Value& value) {
    const double between = Number(value);
    return std::min(one, other) < between && between < std::max(one, other);
  });
}

// The valid configurations that one parameter's change to an accepted value leads to.
template <typename Accepts>
std::vector<ConfigurationIndex> Neighbours(const SearchSpace& space, Row row, Accepts accepts) {
  std::vector<ConfigurationIndex> neighbours;
  for (size_t p = 0; p < space.parameters().size(); ++p) {
    const size_t own = space.layout().Get(row.data(), p);
    for (size_t value = 0; value < space.parameters()[p].values.size(); ++value) {
      if (value == own || !accepts(p, own, value)) continue;
      space.layout().Set(row.data(), p, value);
      if (const auto found = space.IndexOfRow(row.data())) neighbours.push_back(*found);
    }
    space.layout().Set(row.data(), p, own);
  }
  return neighbours;
}

// Changes of one parameter, numbered: of the value of which parameter to which other value.
uint64_t CountChanges(const SearchSpace& space) {
  uint64_t changes = 0;
  for (const Parameter& parameter : space.parameters()) changes += parameter.values.size() - 1;
  return changes;
}

void ApplyChange(const SearchSpace& space, uint64_t change, Row& row) {
  size_t p = 0;
  while (change >= space.parameters()[p].values.size() - 1) {
    change -= space.parameters()[p++].values.size() - 1;
  }
  const size_t own = space.layout().Get(row.data(), p);
  space.layout().Set(row.data(), p, change < own ? change : change + 1);
}

// Sets parameters of `row` to their values in `wanted` as long as it stays valid.
ConfigurationIndex BringCloser(const SearchSpace& space, ConfigurationIndex index,
                               const Row& wanted) {
  Row row = space.RowAt(index);
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t p = 0; p < space.parameters().size(); ++p) {
      const size_t own = space.layout().Get(row.data(), p);
      const size_t goal = space.layout().Get(wanted.data(), p);
      if (own == goal) continue;
      space.layout().Set(row.data(), p, goal);
      if (const auto found = space.IndexOfRow(row.data())) {
        index = *found;
        changed = true;
      } else {
        space.layout().Set(row.data(), p, own);
      }
    }
  }
  return index;
}

// The nearest configuration to `row`, of those with its value of `kept` if there is one.
std::optional<ConfigurationIndex> Nearest(const SearchSpace& space, const Row& row,
                                          std::optional<size_t> kept, RandomStream& random) {
  if (const auto found = space.IndexOfRow(row.data())) return found;
  const std::vector<ConfigurationIndex> one_change =
      Neighbours(space, row, [kept](size_t p, size_t, size_t) { return p != kept; });
  if (!one_change.empty()) return one_change[random.UniformBelow(one_change.size())];
  const RowLayout& layout = space.layout();
  const bool listed = space.Enumerable();
  const uint64_t end = listed ? space.size() : kDrawnConfigurations;
  const uint64_t stride = listed ? (end + kScannedConfigurations - 1) / kScannedConfigurations : 1;
  std::optional<ConfigurationIndex> nearest;
  int least = std::numeric_limits<int>::max();
  uint64_t equals = 0;
  for (uint64_t i = random.UniformBelow(stride); i < end; i += stride) {
    const ConfigurationIndex index = listed ? i : space.Sample(random);
    const Row candidate = space.RowAt(index);
    const int distance = layout.Distance(candidate.data(), row.data());
    if (distance > least) continue;
    if (kept && layout.Get(candidate.data(), *kept) != layout.Get(row.data(), *kept)) continue;
    equals = distance < least ? 1 : equals + 1;
    least = distance;
    if (random.UniformBelow(equals) == 0) nearest = index;
  }
  return nearest ? std::optional(BringCloser(space, *nearest, row)) : std::nullopt;
}

}  // namespace

std::vector<ConfigurationIndex> HammingNeighbours(const SearchSpace& space,
                                                  ConfigurationIndex index) {
  return Neighbours(space, space.RowAt(index), [](size_t, size_t, size_t) { return true; });
}

std::vector<ConfigurationIndex> AdjacentNeighbours(const SearchSpace& space,
                                                   ConfigurationIndex index) {
  const auto one_step = [&](size_t p, size_t own, size_t value) {
    const Parameter& parameter = space.parameters()[p];
    return !HasOrder(parameter) || OneStepApart(parameter, own, value);
  };
  return Neighbours(space, space.RowAt(index), one_step);
}

std::optional<ConfigurationIndex> RandomNeighbour(const SearchSpace& space,
                                                  ConfigurationIndex index, RandomStream& random) {
  const uint64_t changes = CountChanges(space);
  if (changes == 0) return std::nullopt;
  for (int draw = 0; draw < kDraws; ++draw) {
    Row row = space.RowAt(index);
    ApplyChange(space, random.UniformBelow(changes), row);
    if (const auto found = space.IndexOfRow(row.data())) return found;
  }
  const std::vector<ConfigurationIndex> all = HammingNeighbours(space, index);
  if (all.empty()) return std::nullopt;
  return all[random.UniformBelow(all.size())];
}

ConfigurationIndex Repair(const SearchSpace& space, const Row& row, RandomStream& random) {
  const std::optional<ConfigurationIndex> nearest = Nearest(space, row, std::nullopt, random);
  CHECK(nearest.has_value()) << "a search space has at least one configuration";
  return *nearest;
}

ConfigurationIndex Cross(const SearchSpace& space, ConfigurationIndex mother,
                         ConfigurationIndex father, RandomStream& random) {
  Row row = space.RowAt(mother);
  const Row other = space.RowAt(father);
  for (size_t p = 0; p < space.parameters().size(); ++p) {
    if (random.UniformBelow(2) == 0) {
      space.layout().Set(row.data(), p, space.layout().Get(other.data(), p));
    }
  }
  return Repair(space, row, random);
}

std::optional<ConfigurationIndex> WithValue(const SearchSpace& space, ConfigurationIndex index,
                                            size_t parameter, size_t value, RandomStream& random) {
  Row row = space.RowAt(index);
  space.layout().Set(row.data(), parameter, value);
  return Nearest(space, row, parameter, random);
}

ConfigurationIndex WithRandomValue(const SearchSpace& space, ConfigurationIndex index,
                                   RandomStream& random) {
  std::vector<size_t> tunable;
  for (size_t p = 0; p < space.parameters().size(); ++p) {
    if (space.parameters()[p].values.size() > 1) tunable.push_back(p);
  }
  if (tunable.empty()) return index;
  const size_t parameter = tunable[random.UniformBelow(tunable.size())];
  const size_t own = space.layout().Get(space.RowAt(index).data(), parameter);
  const size_t other = random.UniformBelow(space.parameters()[parameter].values.size() - 1);
  return WithValue(space, index, parameter, other < own ? other : other + 1, random)
      .value_or(index);
}

}  // namespace burnish::space
