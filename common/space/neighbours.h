// Configurations near another one, found by look-ups in the space: no graph of neighbours is ever
// kept. A look-up is a binary search, 0.1 to 0.5 µs.
//
// Where a parameter decides which others matter (a root parameter whose variants pin the parameters
// of the other variants to one value), no valid configuration differs in the root alone. So a move
// comes in two kinds: to a neighbour that differs in one parameter, and by WithValue, which changes
// whatever else has to change. Results depend on nothing but the arguments. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/random.h"
#include "common/space/search_space.h"

namespace burnish::space {

// All configurations that differ from `index` in exactly one parameter, in order of parameter and
// value: one look-up for each value of each parameter.
std::vector<ConfigurationIndex> HammingNeighbours(const SearchSpace& space,
                                                  ConfigurationIndex index);

// Those of them that are one step away: the next smaller or larger value of the domain, whatever
// the order in which its values are declared. Domains with strings have no order, so any other
// value is one step.
std::vector<ConfigurationIndex> AdjacentNeighbours(const SearchSpace& space,
                                                   ConfigurationIndex index);

// One of HammingNeighbours, uniform; nothing if there is none. Draws until one is valid; after a
// bounded number of draws enumerates them.
std::optional<ConfigurationIndex> RandomNeighbour(const SearchSpace& space,
                                                  ConfigurationIndex index, RandomStream& random);

// A valid configuration with the fewest parameters changed from `row` (of the space's layout, each
// value index within its domain), any of those with about the same probability. `row` itself and
// single changes are looked up; if none is valid, the rows are scanned. That is exact in spaces of
// up to kScannedConfigurations. In larger ones that many, evenly spread from a random start, are
// scanned, and the nearest of them is brought closer, parameter by parameter, as long as a single
// change does that. So a repair takes microseconds mostly, and at most about a millisecond. In a
// lazy space kDrawnConfigurations are drawn in place of the scan, which takes some milliseconds.
inline constexpr uint64_t kScannedConfigurations = uint64_t{1} << 16;
inline constexpr uint64_t kDrawnConfigurations = 64;
ConfigurationIndex Repair(const SearchSpace& space, const Row& row, RandomStream& random);

// Each parameter from `mother` or from `father`, repaired (uniform crossover).
ConfigurationIndex Cross(const SearchSpace& space, ConfigurationIndex mother,
                         ConfigurationIndex father, RandomStream& random);

// `index` with `parameter` set to its value number `value`, repaired with that value kept. Nothing
// if no configuration has that value (above kScannedConfigurations: none that was scanned or
// drawn).
std::optional<ConfigurationIndex> WithValue(const SearchSpace& space, ConfigurationIndex index,
                                            size_t parameter, size_t value, RandomStream& random);

// WithValue for a random parameter of several values and a random other value of it; `index` itself
// if that finds nothing.
ConfigurationIndex WithRandomValue(const SearchSpace& space, ConfigurationIndex index,
                                   RandomStream& random);

}  // namespace burnish::space
