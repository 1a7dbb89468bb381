// The section of the search bench for two objectives.
#pragma once

#include "absl/status/status.h"
#include "tests/bench/search/sections.h"

namespace burnish::bench {

// The share of the front's volume that a search has found, in spaces whose front is known: after
// 100 trials `auto` has more than random search after 400.
absl::Status Pareto(Bench& bench);

}  // namespace burnish::bench
