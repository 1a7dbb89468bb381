// What `burnish replay` shows: how near to the optimum strategies come. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "server/search/tournament.h"

namespace burnish::cli {

struct ReplayResult {
  std::vector<search::TournamentSpace> spaces;
  std::vector<std::string> strategies;
  int64_t seeds = 0;
  int64_t budget_trials = 0;
  std::vector<std::vector<search::Standing>> standings;  // of each strategy in each space
};

nlohmann::ordered_json ReplayDocument(const ReplayResult& result);
std::string ReplayTable(const ReplayResult& result);
// Fraction of the optimum over distinct evaluations: a panel for the mean and one for each space.
std::string ReplaySvg(const ReplayResult& result);

}  // namespace burnish::cli
