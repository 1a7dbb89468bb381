#include "agent/measure/interleave.h"

#include <utility>

#include "common/base/random.h"

namespace burnish::measure {

Contest Interleave(const std::vector<bool>& running, int rounds, uint64_t order_seed,
                   SampleContestant sample) {
  return Interleave(running, rounds, order_seed, sample, [] { return true; });
}

Contest Interleave(const std::vector<bool>& running, int rounds, uint64_t order_seed,
                   SampleContestant sample, absl::FunctionRef<bool()> another) {
  Contest contest;
  contest.rounds.resize(running.size());
  contest.ends.resize(running.size());
  std::vector<size_t> order;
  for (size_t i = 0; i < running.size(); ++i) {
    if (running[i]) order.push_back(i);
  }
  RandomStream random(order_seed, "comparison order");
  for (int round = 0; round < rounds && (round == 0 || another()); ++round) {
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[random.UniformBelow(i)]);
    for (const size_t contestant : order) {
      absl::StatusOr<work::Sample> taken = sample(contestant);
      if (taken.ok()) {
        contest.rounds[contestant].push_back(*taken);
      } else {
        contest.ends[contestant] = taken.status();
      }
    }
    std::erase_if(order, [&](size_t contestant) { return !contest.ends[contestant].ok(); });
  }
  return contest;
}

}  // namespace burnish::measure
