// Comparing implementations of one problem side by side: in each round each takes one short sample,
// in an order drawn anew, so that what else happens on the machine hits all alike.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace burnish::bench {

struct Contender {
  std::string name;
  // Executes back to back and gives the nanoseconds that took.
  std::function<absl::StatusOr<int64_t>(int64_t launches)> run;
  // One that does not do all of the work is shown, but no measure of anything.
  bool whole = true;
};

// A contender out of a function that computes the problem once.
Contender FromFunction(std::string name, std::function<void()> function);

struct ContestPlan {
  bool cold = false;  // every sample is one execution, after the caches were emptied
  // So many rounds as there is time for, within these bounds.
  absl::Duration time = absl::Seconds(6);
  int least_rounds = 100;
  int most_rounds = 800;
  // For several threads: they keep to their cores, and a sample starts when those of the other
  // contenders have gone to sleep.
  bool apart = false;
};

// Seconds of one execution, by contender and round.
using Times = std::vector<std::vector<double>>;

absl::StatusOr<Times> Compete(const std::vector<Contender>& contenders, const ContestPlan& plan);

}  // namespace burnish::bench
