#include "server/monitor/retention.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"

namespace burnish::server {
namespace {

// Rows of one transaction: tens of milliseconds.
constexpr int kRowsPerStep = 200;
constexpr int kBlobsPerStep = 4;  // big ones
constexpr absl::Duration kRest = absl::Milliseconds(20);
// A submission follows its uploads sooner, and a broken upload is taken up again sooner.
constexpr absl::Duration kKeepUnnamedBlobs = absl::Hours(24);

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
  chores.push_back({.what = "blobs",
                    .step = [&store]() -> absl::StatusOr<store::Removed> {
                      ASSIGN_OR_RETURN(
                          const int64_t count,
                          store.CollectBlobs(store.Now() - kKeepUnnamedBlobs, kBlobsPerStep));
                      return store::Removed{.count = count, .more = count == kBlobsPerStep};
                    },
                    .removed = metrics.retention_blobs_deleted});
  return chores;
}

Retention::Retention(std::vector<Chore> chores, absl::Duration interval)
    : chores_(std::move(chores)),
      unlogged_(chores_.size()),
      loop_({.name = "retention", .interval = interval, .rest = kRest},
            [this] { return Round(); }) {}

absl::Status Retention::Round() {
  absl::Status status;
  for (size_t i = 0; i < chores_.size(); ++i) status.Update(Step(chores_[i], unlogged_[i]));
  return status;
}

absl::Status Retention::Step(const Chore& chore, int64_t& unlogged) {
  ASSIGN_OR_RETURN(const store::Removed removed, chore.step());
  chore.removed.Add(static_cast<double>(removed.count));
  unlogged += removed.count;
  if (removed.more) {
    loop_.Wake();
  } else if (unlogged > 0) {
    Log(LogLevel::kInfo, "retention",
        {{"removed", chore.what}, {"count", absl::StrCat(std::exchange(unlogged, 0))}});
  }
  return absl::OkStatus();
}

}  // namespace burnish::server
