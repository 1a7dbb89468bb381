// Runs strategies on the measured spaces, each variation once, and remembers.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/search/tournament.h"
#include "tests/bench/search/histories.h"

namespace burnish::bench {

struct Variation {
  std::string strategy = "auto";
  int64_t pending = 1;
  bool noise = false;
  History history = History::kNone;
  search::Exploration exploration;

  auto operator<=>(const Variation&) const = default;
};

struct Effort {
  int64_t seeds = 20;
  uint64_t seed_base = 1000;
  int64_t budget_trials = 400;
};

// How something did in some of the spaces.
struct Result {
  std::vector<size_t> spaces;  // places in Lab::spaces()
  std::vector<search::Standing> standings;

  double Mean(int64_t trials) const { return search::Summarise(standings, trials).mean; }
};

class Lab {
 public:
  Lab(std::vector<Space> spaces, const Effort& effort)
      : spaces_(std::move(spaces)), effort_(effort) {}

  const std::vector<Space>& spaces() const { return spaces_; }
  const Effort& effort() const { return effort_; }

  // In the spaces that have a history of that kind, or in all of them without one.
  absl::StatusOr<Result> Run(const Variation& variation);
  // Of all runs of `auto` up to now.
  const std::vector<double>& proposal_seconds() const { return proposal_seconds_; }

 private:
  const std::vector<Space> spaces_;
  const Effort effort_;
  std::map<Variation, Result> results_;
  std::vector<double> proposal_seconds_;
};

// Of these spaces only.
Result Only(const Result& result, const std::vector<size_t>& spaces);

}  // namespace burnish::bench
