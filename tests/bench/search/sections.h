// The parts of the search bench. Each prints its table, keeps its rows, and reports the figures
// that have a target.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "tests/bench/report.h"
#include "tests/bench/search/lab.h"

namespace burnish::bench {

struct Bench {
  Lab& lab;
  Report& report;
  nlohmann::json& rows;
  bool quick = false;
};

struct Section {
  std::string name;
  std::function<absl::Status(Bench&)> run;
  bool in_quick = true;  // else a quick run has it only if it is asked for
  bool measured = true;  // needs the measured spaces
};

// In the order in which they run.
std::vector<Section> Sections();

}  // namespace burnish::bench
