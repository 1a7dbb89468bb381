#include "server/monitor/retention.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"

namespace burnish::server {
namespace {

// Rows of one transaction: tens of milliseconds.
constexpr int kRowsPerStep = 200;
constexpr absl::Duration kRest = absl::Milliseconds(20);

}  // namespace

std::vector<Chore> ChoresOf(store::Store& store, const RetentionTimes& times,
                            const ServerMetrics& metrics) {
  std::vector<Chore> chores;
  if (times.keep_jobs < absl::InfiniteDuration()) {
    chores.push_back({.what = "jobs",
                      .step =
                          [&store, keep = times.keep_jobs] {
                            return store.DeleteJobs(store.Now() - keep, kRowsPerStep);
                          },
                      .removed = metrics.retention_jobs_deleted});
  }
  if (times.keep_samples < absl::InfiniteDuration()) {
    chores.push_back({.what = "samples",
                      .step =
                          [&store, keep = times.keep_samples] {
                            return store.DropSamples(store.Now() - keep, kRowsPerStep);
                          },
                      .removed = metrics.retention_samples_dropped});
  }
  return chores;
}

Retention::Retention(std::vector<Chore> chores, absl::Duration interval)
    : chores_([&] {
        std::vector<State> states;
        for (Chore& chore : chores) states.push_back({.chore = std::move(chore)});
        return states;
      }()),
      loop_({.name = "retention", .interval = interval, .rest = kRest},
            [this] { return Round(); }) {}

absl::Status Retention::Round() {
  absl::Status status;
  for (State& state : chores_) {
    const absl::StatusOr<bool> more = Step(state);
    status.Update(more.status());
    if (more.ok() && *more) loop_.Wake();
  }
  return status;
}

absl::StatusOr<bool> Retention::Step(State& state) {
  ASSIGN_OR_RETURN(const store::Removed removed, state.chore.step());
  state.chore.removed.Add(static_cast<double>(removed.count));
  state.unlogged += removed.count;
  if (!removed.more && state.unlogged > 0) {
    Log(LogLevel::kInfo, "retention",
        {{"removed", state.chore.what}, {"count", absl::StrCat(std::exchange(state.unlogged, 0))}});
  }
  return removed.more;
}

}  // namespace burnish::server
