// How the trials of a task ended, for people: a histogram with one message of each outcome. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "server/store/store.h"

namespace burnish::jobs {

struct OutcomeCount {
  work::Outcome outcome;
  int64_t count = 0;
  std::string example;  // one message; empty for ok
  TrialNumber example_trial;
};

class OutcomeCounter {
 public:
  // Counts nothing for a trial that has not finished.
  void Add(const store::Trial& trial);
  // In the order of work::AllOutcomes; only counts above 0. The example is the message of the trial
  // with the lowest number that has one.
  std::vector<OutcomeCount> counts() const;

 private:
  std::map<work::Outcome, OutcomeCount> by_outcome_;
};

std::vector<OutcomeCount> CountOutcomes(std::span<const store::Trial> trials);

// "compile_error 19, timeout 1", then one line per outcome that has a message:
// "compile_error (#0): …".
std::string DescribeOutcomes(const std::vector<OutcomeCount>& counts);

}  // namespace burnish::jobs
