// What a proposal of `auto` costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/bench/report.h"

namespace burnish::bench {

// CPU time: the median at most 10 ms, 99 of 100 at most 100 ms.
void ReportProposalCost(const std::string& group, const std::vector<double>& seconds,
                        Report& report);
// The same, with the growth of memory, for 400 trials in a synthetic space of 350,000.
absl::Status MeasureLargeSpace(int64_t seeds, uint64_t seed_base, Report& report);

}  // namespace burnish::bench
