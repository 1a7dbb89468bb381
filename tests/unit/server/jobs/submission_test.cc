#include "server/jobs/submission.h"

#include <limits>

#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/jobs/farm.h"

namespace burnish::jobs {
namespace {

using testing::HasSubstr;

absl::StatusOr<std::pair<JobId, bool>> TrySubmit(Farm& farm, const spec::JobText& job,
                                                 const std::string& request = "r1") {
  return Submit(farm.store(), kTeam, {.client_request_id = request, .hold_id = "", .job = job});
}

TEST(Submit, MakesOneTaskPerDeviceClass) {
  Farm farm;
  farm.Attach("a", Cpu("zen4"), Bowl);
  farm.Attach("b", Cpu("zen4"), Bowl);
  farm.Attach("c", Cpu("m1"), Bowl);
  const auto job = TrySubmit(farm, JobOf("budget: {trials: 30}"));
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_FALSE(job->second);
  const store::JobWithTasks stored = farm.Get(job->first);
  EXPECT_EQ(stored.job.state, store::State::kQueued);
  EXPECT_EQ(stored.job.name, "toy");
  ASSERT_EQ(stored.tasks.size(), 2u);
  EXPECT_EQ(stored.tasks[0].what.device_class, "zen4");
  EXPECT_EQ(stored.tasks[1].what.device_class, "m1");
  EXPECT_EQ(stored.tasks[0].what.problem, "toy");
  EXPECT_EQ(stored.tasks[0].what.space_size, 64u);
  EXPECT_EQ(stored.tasks[0].what.budget_trials, 30);
  EXPECT_EQ(stored.tasks[0].what.work.flops, 32);
  EXPECT_FALSE(stored.tasks[0].what.hash.empty());
}

TEST(Submit, GivesARetryTheSameJobThoughTheDevicesHaveGone) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const auto first = TrySubmit(farm, JobOf("budget: {trials: 30}"));
  ASSERT_TRUE(first.ok()) << first.status();
  farm.Detach("a");
  farm.clock().Advance(absl::Minutes(6));  // nobody expects it back
  const auto retry = TrySubmit(farm, JobOf("budget: {trials: 30}"));
  ASSERT_TRUE(retry.ok()) << retry.status();
  EXPECT_EQ(retry->first, first->first);
  EXPECT_TRUE(retry->second);
  EXPECT_FALSE(TrySubmit(farm, JobOf("budget: {trials: 30}"), "r2").ok());
}

TEST(Submit, RefusesAPriorityOutOfRange) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  for (const int priority : {11, -11, std::numeric_limits<int>::min()}) {
    const auto job = Submit(farm.store(), kTeam,
                            {.client_request_id = "r", .priority = priority, .job = JobOf("")});
    EXPECT_THAT(job.status().message(), HasSubstr("priority: ")) << priority;
  }
}

TEST(Submit, RefusesAKernelWithoutAReference) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const auto job = TrySubmit(farm, JobOf("budget: {trials: 30}", /*reference=*/""));
  ASSERT_EQ(job.status().code(), absl::StatusCode::kInvalidArgument);
  const auto diagnostic = DiagnosticOf(job.status());
  ASSERT_TRUE(diagnostic.has_value());
  EXPECT_EQ(diagnostic->file, "toy.yaml");
  EXPECT_EQ(diagnostic->path, "kernel.reference");
  EXPECT_EQ(diagnostic->hint, "say `reference: none` to tune unverified");
  EXPECT_TRUE(TrySubmit(farm, JobOf("budget: {trials: 30}", "\n  reference: none")).ok());
}

TEST(Submit, RefusesAnUnknownStrategyWithTheNearestName) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const auto job = TrySubmit(farm, JobOf("strategy: {name: exhaustiv}"));
  ASSERT_EQ(job.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(job.status().message()), HasSubstr("strategy"));
  const auto diagnostic = DiagnosticOf(job.status());
  ASSERT_TRUE(diagnostic.has_value());
  EXPECT_EQ(diagnostic->hint, "did you mean 'exhaustive'?");
}

TEST(Submit, RefusesAnEmptySpace) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const auto job = TrySubmit(farm, JobOf("  constraints: ['A > 3', 'A < 2']"));
  EXPECT_EQ(job.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(job.status().message()), HasSubstr("the search space is empty"));
}

TEST(Submit, StoresNothingWhenItRefuses) {
  Farm farm;
  EXPECT_EQ(TrySubmit(farm, JobOf("budget: {trials: 30}")).status().code(),
            absl::StatusCode::kFailedPrecondition);
  farm.Attach("a", Cpu(), Bowl);
  EXPECT_FALSE(TrySubmit(farm, JobOf("nonsense: 1")).ok());
  EXPECT_TRUE(farm.store().ListJobs(kTeam, 10)->empty());
}

}  // namespace
}  // namespace burnish::jobs
