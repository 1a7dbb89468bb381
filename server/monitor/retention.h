// Housekeeping: removes what is kept no longer, in steps so short that nobody waits for the
// database because of them, with a rest after each. What kind of thing is removed how is a chore;
// each is logged once it has nothing more to do.
//
// A database that fails is tried again after the interval. Runs on a thread of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/loop/loop.h"
#include "server/store/store.h"
#include "server/telemetry/server_metrics.h"

namespace burnish::server {

struct Chore {
  std::string what;  // it removes, for the log: "jobs"
  std::function<absl::StatusOr<store::Removed>()> step;
  telemetry::Counter removed;
};

// How long after a job's end; infinite: for ever.
struct RetentionTimes {
  absl::Duration keep_samples = absl::InfiniteDuration();
  absl::Duration keep_jobs = absl::InfiniteDuration();
};

// Also removes blobs that no job names.
std::vector<Chore> ChoresOf(store::Store& store, const RetentionTimes& times,
                            const ServerMetrics& metrics);

class Retention {
 public:
  // Begins at once, and again after every `interval`.
  Retention(std::vector<Chore> chores, absl::Duration interval);
  // Waits for a running step.
  void Stop() { loop_.Stop(); }

 private:
  // One step of every chore.
  absl::Status Round();
  absl::Status Step(const Chore& chore, int64_t& unlogged);

  const std::vector<Chore> chores_;
  std::vector<int64_t> unlogged_;  // what each has removed since it was logged; the loop's thread
  Loop loop_;                      // last: it uses the above
};

}  // namespace burnish::server
