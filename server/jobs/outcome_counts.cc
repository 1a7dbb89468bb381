#include "server/jobs/outcome_counts.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace burnish::jobs {

void OutcomeCounter::Add(const store::Trial& trial) {
  if (!trial.finished_position) return;
  OutcomeCount& entry = by_outcome_[trial.outcome];
  entry.outcome = trial.outcome;
  ++entry.count;
  if (trial.outcome == work::Outcome::kOk || trial.message.empty()) return;
  if (entry.example.empty() || trial.what.number < entry.example_trial) {
    entry.example = trial.message;
    entry.example_trial = trial.what.number;
  }
}

std::vector<OutcomeCount> OutcomeCounter::counts() const {
  std::vector<OutcomeCount> counts;
  for (const work::Outcome outcome : work::AllOutcomes()) {
    const auto found = by_outcome_.find(outcome);
    if (found != by_outcome_.end()) counts.push_back(found->second);
  }
  return counts;
}

std::vector<OutcomeCount> CountOutcomes(std::span<const store::Trial> trials) {
  OutcomeCounter counter;
  for (const store::Trial& trial : trials) counter.Add(trial);
  return counter.counts();
}

std::string DescribeOutcomes(const std::vector<OutcomeCount>& counts) {
  std::string text = absl::StrJoin(counts, ", ", [](std::string* out, const OutcomeCount& entry) {
    absl::StrAppend(out, work::OutcomeName(entry.outcome), " ", entry.count);
  });
  for (const OutcomeCount& entry : counts) {
    if (entry.example.empty()) continue;
    absl::StrAppend(&text, "\n", work::OutcomeName(entry.outcome), " (#",
                    entry.example_trial.value(), "): ", entry.example);
  }
  return text;
}

}  // namespace burnish::jobs
