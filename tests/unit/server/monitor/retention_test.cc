#include "server/monitor/retention.h"

#include <atomic>

#include "absl/synchronization/notification.h"
#include "common/base/hash.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/store/sqlite/sqlite_store.h"

namespace burnish::server {
namespace {

using ::testing::HasSubstr;

TEST(Retention, RepeatsTheStepsOfEveryChoreUntilNothingIsLeft) {
  telemetry::Metrics metrics;
  const ServerMetrics counters(metrics);
  std::atomic<int> left = 3;
  absl::Notification other_ran, done;
  Retention retention({{.what = "samples",
                        .step = [&]() -> absl::StatusOr<store::Removed> {
                          if (left == 0) {
                            done.Notify();
                            return store::Removed();
                          }
                          --left;
                          return store::Removed{.count = 10, .more = true};
                        },
                        .removed = counters.retention_samples_dropped},
                       {.what = "jobs",
                        .step = [&]() -> absl::StatusOr<store::Removed> {
                          if (!other_ran.HasBeenNotified()) other_ran.Notify();
                          return store::Removed();
                        },
                        .removed = counters.retention_jobs_deleted}},
                      absl::InfiniteDuration());
  done.WaitForNotification();
  other_ran.WaitForNotification();
  retention.Stop();
  EXPECT_THAT(metrics.Text(), HasSubstr("burnish_retention_samples_dropped_total 30\n"));
  EXPECT_THAT(metrics.Text(), HasSubstr("burnish_retention_jobs_deleted_total 0\n"));
}

TEST(Retention, GoesOnAfterAFaultAndDoesTheOtherChoresMeanwhile) {
  std::atomic<int> failed = 0;
  std::atomic<int> others = 0;
  absl::Notification done;
  Retention retention({{.what = "jobs",
                        .step = [&]() -> absl::StatusOr<store::Removed> {
                          if (++failed == 3) done.Notify();
                          return absl::UnavailableError("gone");
                        },
                        .removed = {}},
                       {.what = "samples",
                        .step = [&]() -> absl::StatusOr<store::Removed> {
                          ++others;
                          return store::Removed();
                        },
                        .removed = {}}},
                      absl::Milliseconds(1));
  done.WaitForNotification();
  retention.Stop();
  EXPECT_GE(others, 2);
}

TEST(Retention, StopsAfterAStepThoughThereIsMore) {
  absl::Notification began;
  Retention retention({{.what = "jobs",
                        .step = [&]() -> absl::StatusOr<store::Removed> {
                          if (!began.HasBeenNotified()) began.Notify();
                          return store::Removed{.count = 1, .more = true};
                        },
                        .removed = {}}},
                      absl::InfiniteDuration());
  began.WaitForNotification();
  retention.Stop();
}

TEST(RetentionChores, RemoveWhatIsOlderThanItIsKept) {
  SimulatedClock clock(absl::FromUnixSeconds(1'700'000'000));
  const auto store = *store::OpenSqliteStore(":memory:", clock);
  ASSERT_EQ(ChoresOf(*store, {}, ServerMetrics()).size(), 1u) << "blobs alone";
  const JobId job = store->CreateJob(Namespace("lab"), {.tasks = {{}}})->first;
  ASSERT_TRUE(store->CancelJob(Namespace("lab"), job, "").ok());
  const std::vector<Chore> chores =
      ChoresOf(*store, {.keep_samples = absl::Hours(1), .keep_jobs = absl::Hours(2)}, {});
  ASSERT_EQ(chores.size(), 3u);
  const auto step = [&](size_t chore) { return *chores[chore].step(); };
  clock.Advance(absl::Minutes(59));
  EXPECT_FALSE(step(1).more);
  clock.Advance(absl::Minutes(2));
  EXPECT_TRUE(step(1).more);
  EXPECT_EQ(step(0).count, 0);
  clock.Advance(absl::Hours(1));
  EXPECT_EQ(step(0).count, 1);

  const BlobHash blob(Sha256Hex("abc"));
  ASSERT_TRUE(store->AppendBlobChunk(Namespace("lab"), {blob, 3, 0, "abc"}).ok());
  clock.Advance(absl::Hours(23));
  EXPECT_EQ(step(2).count, 0);
  clock.Advance(absl::Hours(2));
  EXPECT_EQ(step(2).count, 1);
}

}  // namespace
}  // namespace burnish::server
