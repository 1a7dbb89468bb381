// What is left of a job: how many trials at most, and how long by the pace so far. Pure; a meter is
// not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "client/cli/connection.h"

namespace burnish::cli {

// Distinct configurations that a task will try at most: its budget, or all there are.
int64_t TrialsAtMost(const pb::TaskSnapshot& task);

// Results of one task that came in a time.
struct Pace {
  int64_t results = 0;
  double seconds = 0;
};

// To the end of a running task, under whichever of its predictable rules (trials, seconds, device
// seconds) ends the search first, comparison of the finalists included. Nothing as long as too few
// results have come to tell, or in another state. `age_seconds` is how old the snapshot is.
std::optional<double> TaskEtaSeconds(const pb::TaskSnapshot& task, const Pace& pace,
                                     double age_seconds = 0);
// Of the job, by each task's pace since its start: the longest of its tasks, which run side by
// side. Nothing unless all of them are known, nor while the job waits.
std::optional<double> JobEtaSeconds(const pb::JobSnapshot& snapshot);

struct Rate {
  double trials_per_second = 0;
  std::optional<double> eta_seconds;
};

// How fast the results of a job come since somebody looks on. Time in which it waits before the
// first of them, or is paused, does not count.
class RateMeter {
 public:
  void Show(const pb::JobSnapshot& snapshot, absl::Duration now);
  Rate At(absl::Duration now) const;

 private:
  pb::JobSnapshot first_;
  pb::JobSnapshot last_;
  absl::Duration first_at_;
  absl::Duration last_at_;
};

// Of `total` equal steps. Nothing as long as too few are done to tell, and at the end.
std::optional<double> SecondsLeft(int64_t done, int64_t total, double per_second);
// "ETA 1:05", "ETA 2:03:04"; empty for nothing, and for what is too long to be believed.
std::string EtaText(std::optional<double> seconds);

// "at most 100 trials, about 2m11s on the clock, 1m40s of devices".
std::string ForecastText(const pb::Forecast& forecast);

}  // namespace burnish::cli
