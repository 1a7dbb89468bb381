#include "server/jobs/outcome_counts.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace burnish::jobs {

std::vector<OutcomeCount> CountOutcomes(std::span<const store::Trial> trials) {
  std::map<work::Outcome, OutcomeCount> by_outcome;
  for (const store::Trial& trial : trials) {
    if (!trial.finished_position) continue;
    OutcomeCount& entry = by_outcome[trial.outcome];
    entry.outcome = trial.outcome;
    ++entry.count;
    if (entry.example.empty() && trial.outcome != work::Outcome::kOk) {
      entry.example = trial.message;
      entry.example_trial = trial.what.number;
    }
  }
  std::vector<OutcomeCount> counts;
  for (const work::Outcome outcome : work::AllOutcomes()) {
    const auto found = by_outcome.find(outcome);
    if (found != by_outcome.end()) counts.push_back(std::move(found->second));
  }
  return counts;
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
