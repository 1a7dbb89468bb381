#include "server/jobs/snapshot.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/jobs/control.h"
#include "tests/unit/server/jobs/farm.h"

namespace burnish::jobs {
namespace {

JobSnapshot Snapshot(Farm& farm, JobId id) {
  auto snapshot = TakeSnapshot(farm.store(), kTeam, id);
  EXPECT_TRUE(snapshot.ok()) << snapshot.status();
  return *std::move(snapshot);
}

TEST(Snapshot, ShowsDefaultBestAndOutcomesSoFar) {
  Farm farm;
  farm.Attach("a", Cpu(), [](const space::Configuration& configuration) {
    Answer answer = Bowl(configuration);
    if (ValueOf(configuration, "B") > 6) {
      answer = {.outcome = work::Outcome::kCompileError, .seconds = 0, .message = "no ';'"};
    }
    return answer;
  });
  const JobId id = farm.Submit(JobOf("budget: {trials: 64}"));
  for (int round = 0; round < 20; ++round) {
    farm.Advance();
    farm.Serve();
  }
  farm.clock().Advance(absl::Seconds(7));
  const JobSnapshot snapshot = Snapshot(farm, id);
  ASSERT_EQ(snapshot.tasks.size(), 1u);
  const TaskSnapshot& task = snapshot.tasks[0];
  EXPECT_EQ(task.problem, "toy");
  EXPECT_EQ(task.device_class, "zen4");
  ASSERT_TRUE(task.device.has_value());
  EXPECT_EQ(task.device->device.info.name, "Test CPU");
  EXPECT_EQ(task.state, store::State::kRunning);
  EXPECT_EQ(task.trials, 20);
  EXPECT_EQ(task.budget_trials, 64);
  EXPECT_EQ(task.space_size, 64u);
  EXPECT_EQ(task.work.flops, 32);
  EXPECT_EQ(task.seconds, 7);
  EXPECT_EQ(task.statistic, "p20");
  ASSERT_TRUE(task.default_result.has_value());
  EXPECT_EQ(task.default_result->trial, TrialNumber(0));
  EXPECT_EQ(task.speedup, 0);

  double fastest = 1;
  int64_t valid = 0;
  for (const store::Trial& trial : farm.Trials(id)) {
    if (!trial.latency) continue;
    fastest = std::min(fastest, trial.latency->seconds);
    ++valid;
  }
  ASSERT_TRUE(task.best.has_value());
  EXPECT_EQ(task.best->latency_seconds, fastest);
  EXPECT_EQ(task.valid, valid);
  ASSERT_EQ(task.outcomes.size(), 2u);
  EXPECT_EQ(task.outcomes[0].count, valid);
  EXPECT_EQ(task.outcomes[1].outcome, work::Outcome::kCompileError);
  EXPECT_EQ(task.outcomes[1].count, 20 - valid);
  EXPECT_EQ(task.outcomes[1].example, "no ';'");
}

TEST(Snapshot, InARowShowsWhatAWholeOneShows) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const JobId id = farm.Submit(JobOf("budget: {trials: 64}"));
  JobProgress progress;
  for (int round = 0; round < 100; ++round) {
    farm.Advance();
    farm.Serve();
    const auto next = TakeSnapshot(farm.store(), kTeam, id, progress);
    ASSERT_TRUE(next.ok()) << next.status();
    const TaskSnapshot& task = next->tasks[0];
    const TaskSnapshot whole = Snapshot(farm, id).tasks[0];
    EXPECT_EQ(task.trials, whole.trials);
    EXPECT_EQ(task.valid, whole.valid);
    ASSERT_EQ(task.best.has_value(), whole.best.has_value());
    if (task.best) {
      EXPECT_EQ(task.best->trial, whole.best->trial);
    }
    EXPECT_EQ(task.default_result.has_value(), whole.default_result.has_value());
  }
  EXPECT_EQ(Snapshot(farm, id).tasks[0].trials, 64);
}

TEST(Snapshot, ShowsTheFiguresOfTheComparisonOnceThereAre) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const JobId id = farm.Submit(JobOf("budget: {trials: 64}"));
  const store::JobWithTasks job = farm.RunToEnd(id);
  const TaskSnapshot task = Snapshot(farm, id).tasks[0];
  ASSERT_TRUE(task.best.has_value());
  EXPECT_EQ(space::ToJson(task.best->configuration), R"({"A": 6, "B": 3})");
  EXPECT_EQ(task.best->latency_seconds, job.tasks[0].result.best_seconds);
  EXPECT_TRUE(task.best->trial.has_value());
  EXPECT_EQ(task.default_result->latency_seconds, job.tasks[0].result.default_seconds);
  EXPECT_EQ(task.speedup, job.tasks[0].result.speedup);
  EXPECT_GT(task.speedup, 1);
  EXPECT_EQ(Snapshot(farm, id).waiting, "");
}

TEST(Snapshot, SaysThatNoDeviceOfTheClassIsConnected) {
  Farm farm;
  farm.Attach("a", Cpu("zen4"), Bowl);
  const JobId id = farm.Submit(JobOf("budget: {trials: 64}"));
  farm.Detach("a");
  farm.Attach("b", Cpu("m1"), Bowl);
  farm.Advance();
  EXPECT_EQ(Snapshot(farm, id).waiting, "waiting for a device of class zen4: none is connected");
}

TEST(Snapshot, SaysThatTheDeviceIsBusyOrCanDoNothing) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const JobId first = farm.Submit(JobOf("budget: {trials: 64}"));
  farm.Advance();
  const auto held = farm.Claim("a", 1);
  ASSERT_EQ(held.size(), 1u);
  const JobId second = farm.Submit(JobOf("budget: {trials: 64}"));
  farm.Advance();
  EXPECT_EQ(Snapshot(farm, first).waiting, "");
  EXPECT_EQ(Snapshot(farm, first).tasks[0].running, 1);
  EXPECT_EQ(Snapshot(farm, second).waiting,
            "waiting for a/cpu:0: it is busy with other jobs for about 1 s more");
  farm.Report("a", held[0]);
  EXPECT_EQ(Snapshot(farm, second).waiting, "");

  work::DeviceInfo broken = Cpu();
  broken.unavailable_reason = "no C++ compiler on the PATH";
  farm.Attach("a", broken, Bowl);
  EXPECT_EQ(Snapshot(farm, second).waiting, "waiting for a/cpu:0: no C++ compiler on the PATH");
}

TEST(Snapshot, SaysWhyAJobIsPaused) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const JobId id = farm.Submit(JobOf("budget: {trials: 64}"), "hold-1");
  ASSERT_TRUE(PauseJobsOfHold(farm.store(), "hold-1", "its client ended").ok());
  const JobSnapshot snapshot = Snapshot(farm, id);
  EXPECT_EQ(snapshot.waiting, "paused: its client ended");
  EXPECT_EQ(snapshot.tasks[0].state, store::State::kPaused);
}

TEST(Snapshot, ListsTheTieWithItsFigures) {
  Farm farm;
  farm.Attach("a", Cpu(), [](const space::Configuration&) { return Answer{}; });
  const JobId id = farm.Submit(JobOf("budget: {trials: 64}"));
  farm.RunToEnd(id);
  const TaskSnapshot task = Snapshot(farm, id).tasks[0];
  ASSERT_EQ(task.tie.size(), 9u);
  // Those of the comparison, beside which the best stands.
  EXPECT_GE(task.tie[0].latency_seconds, task.best->latency_seconds);
  EXPECT_NE(task.tie[0].latency_seconds, 1e-3);
}

TEST(Snapshot, KnowsNoJobOfAnotherNamespace) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const JobId id = farm.Submit(JobOf("budget: {trials: 64}"));
  EXPECT_TRUE(absl::IsNotFound(TakeSnapshot(farm.store(), Namespace("others"), id).status()));
}

TEST(Snapshot, SaysWhatShareOfTheRoofIsReached) {
  const auto share_of = [](work::Roofs roofs) {
    Farm farm;
    work::DeviceInfo device = Cpu();
    device.roofs = std::move(roofs);
    farm.Attach("a", device, [](const space::Configuration&) {
      return Answer{.outcome = work::Outcome::kOk, .seconds = 1e-6};
    });
    spec::JobText job = JobOf("budget: {trials: 4}");
    job.text.replace(job.text.find("{flops: \"2 * n\"}"), 16, "{flops: 32, bytes: 64}");
    const JobId id = farm.Submit(job);
    farm.Advance();
    farm.Serve();
    const TaskSnapshot task = Snapshot(farm, id).tasks[0];
    EXPECT_EQ(task.work, (work::KernelWork{32, 64, 64, "f32"}));
    return task.best->roof_share;
  };
  EXPECT_EQ(share_of({}), std::nullopt);
  // 32 operations in a microsecond, where half of 640 MB/s allows 320 in that time.
  EXPECT_DOUBLE_EQ(
      share_of({.peaks = {{"f32", 1, 1e12}}, .bandwidths = {{"memory", 1 << 20, 1, 640e6}}})
          .value_or(0),
      0.1);
}

// The more A the faster, the less A the smaller; B only costs.
Answer Trade(const space::Configuration& configuration) {
  const double a = static_cast<double>(ValueOf(configuration, "A"));
  const double b = static_cast<double>(ValueOf(configuration, "B"));
  return {.seconds = (1 + 0.5 * b) / a, .figures = {.memory_bytes = 100 * a * b}};
}

work::DeviceInfo SizedCpu() {
  work::DeviceInfo device = Cpu();
  device.metrics = {spec::Metric::kMemory};
  return device;
}

std::vector<int64_t> ValuesOfA(const std::vector<ConfigurationResult>& front) {
  std::vector<int64_t> values;
  for (const ConfigurationResult& point : front)
    values.push_back(ValueOf(point.configuration, "A"));
  return values;
}

TEST(Snapshot, OfSeveralObjectivesHasTheFrontAndItsKnee) {
  Farm farm;
  farm.Attach("a", SizedCpu(), Trade);
  const JobId id = farm.Submit(
      JobOf("objectives: [latency, memory]\nlimits: [\"memory <= 6 * 100\"]\nbudget: {trials: 64}\n"
            "strategy: exhaustive"));
  farm.RunToEnd(id);
  const TaskSnapshot task = Snapshot(farm, id).tasks[0];
  EXPECT_EQ(task.state, store::State::kDone) << task.reason;
  ASSERT_EQ(task.objectives.size(), 2u);
  EXPECT_THAT(ValuesOfA(task.front), testing::ElementsAre(6, 5, 4, 3, 2, 1)) << "all with B = 1";
  EXPECT_EQ(task.front[0].figures.memory_bytes, 600);
  EXPECT_EQ(ValueOf(task.best->configuration, "A"),
            ValueOf(task.front[task.knee].configuration, "A"));
  EXPECT_GT(task.speedup, 1) << "of the knee over A = 1, B = 1";
  EXPECT_EQ(task.hypervolume, 0) << "nothing is smaller than the default";

  const auto within = TakeSnapshot(farm.store(), kTeam, id, *expr::Expression::Parse("memory<400"));
  ASSERT_TRUE(within.ok()) << within.status();
  EXPECT_THAT(ValuesOfA(within->tasks[0].front), testing::ElementsAre(3, 2, 1));
  EXPECT_LT(ValueOf(within->tasks[0].best->configuration, "A"), 4);
}

TEST(Snapshot, ATaskWithoutATrialWithinTheLimitsFailsAndSaysSo) {
  Farm farm;
  farm.Attach("a", SizedCpu(), Trade);
  const JobId id = farm.Submit(JobOf("limits: [memory < 100]\nbudget: {trials: 4}"));
  const store::JobWithTasks job = farm.RunToEnd(id);
  EXPECT_EQ(job.job.state, store::State::kFailed);
  EXPECT_EQ(job.job.reason, "budget spent, and no trial is within the limits: ok 4");
  EXPECT_TRUE(Snapshot(farm, id).tasks[0].default_result.has_value());
}

}  // namespace
}  // namespace burnish::jobs
