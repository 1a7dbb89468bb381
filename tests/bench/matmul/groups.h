// The groups of the matmul bench: which problems are compared, and what figures follow.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "tests/bench/matmul/comparison.h"
#include "tests/bench/report.h"

namespace burnish::bench {

struct Selection {
  bool quick = false;             // a few shapes
  std::vector<std::string> only;  // groups and shapes; empty: all

  bool Wants(const std::string& group, const std::string& shape) const;
};

// Runs the groups for processes with so many cores: 1 or 2. Rows of their tables go into `rows`.
absl::Status RunGroups(int threads, const Selection& selection, const Settings& settings,
                       Report& report, nlohmann::json& rows);

// "f32 two_threads …", for people.
std::string GroupNames();

}  // namespace burnish::bench
