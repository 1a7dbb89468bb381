#include "client/cli/pareto.h"

#include "client/cli/progress.h"
#include "client/cli/report.h"
#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void SetResult(pb::ConfigurationResult& result, int64_t block, double seconds, double joules) {
  pb::Setting* setting = result.mutable_configuration()->add_settings();
  setting->set_name("BLOCK");
  setting->mutable_value()->set_integer(block);
  result.set_trial(block);
  result.set_latency_seconds(seconds);
  result.mutable_figures()->set_energy_joules(joules);
  result.mutable_figures()->set_power_watts(joules / seconds);
}

// Latencies 1, 2, 4 ms; energies 40, 10, 8 mJ; the knee is the second.
pb::JobSnapshot Done() {
  pb::JobSnapshot job;
  job.set_job_id("j42");
  job.set_name("bowl");
  job.set_state(pb::STATE_DONE);
  pb::TaskSnapshot& task = *job.add_tasks();
  task.set_task_id("j42.1");
  task.set_device_class("A100 (replayed)");
  task.set_state(pb::STATE_DONE);
  task.set_trials(36);
  task.set_budget_trials(36);
  task.add_objectives()->set_metric("latency");
  task.add_objectives()->set_metric("energy");
  SetResult(*task.add_front()->mutable_result(), 1, 1e-3, 40e-3);
  SetResult(*task.add_front()->mutable_result(), 2, 2e-3, 10e-3);
  SetResult(*task.add_front()->mutable_result(), 4, 4e-3, 8e-3);
  task.mutable_front(1)->set_knee(true);
  SetResult(*task.mutable_best(), 2, 2.1e-3, 10e-3);
  SetResult(*task.mutable_default_result(), 9, 8e-3, 80e-3);
  task.set_hypervolume(0.6);
  return job;
}

TEST(CheckWhere, TakesConditionsOverMetricsAlone) {
  EXPECT_TRUE(CheckWhere("").ok());
  EXPECT_TRUE(CheckWhere("power <= 15 and latency < 1e-3").ok());
  EXPECT_EQ(CheckWhere("powr <= 15").message(), "--where: unknown metric 'powr'");
  EXPECT_EQ(DiagnosticOf(CheckWhere("powr <= 15"))->hint, "did you mean 'power'?");
  EXPECT_EQ(CheckWhere("power").message(), "--where: must be a condition over metrics");
  EXPECT_EQ(CheckWhere("1 < 2").message(), "--where: must be a condition over metrics");
  EXPECT_THAT(CheckWhere("power <").message(), HasSubstr("--where: "));
}

TEST(ChoosePoint, TakesTheFastestUnlessAskedOtherwise) {
  const pb::JobSnapshot job = Done();
  EXPECT_EQ(ChoosePoint(job.tasks(0), {})->result().trial(), 1);
  EXPECT_EQ(ChoosePoint(job.tasks(0), {.by = spec::Metric::kEnergy})->result().trial(), 4);
  EXPECT_EQ(ChoosePoint(job.tasks(0), {.by = spec::Metric::kPower})->result().trial(), 4);
  EXPECT_EQ(ChoosePoint(pb::TaskSnapshot(), {}), nullptr);
}

TEST(ParetoText, ShowsTheChosenTheFrontAndTheDefault) {
  const pb::JobSnapshot job = Done();
  EXPECT_EQ(ParetoText(job, job.tasks(0), {}),
            "bowl · j42.1 on A100 (replayed) · front of 3 out of 36 trials\n"
            "         latency   energy    power    configuration\n"
            "fastest  1.000 ms  40.00 mJ  40.00 W  BLOCK=1\n"
            "front    1.000 ms  40.00 mJ  40.00 W  BLOCK=1\n"
            "knee     2.000 ms  10.00 mJ  5.000 W  BLOCK=2\n"
            "front    4.000 ms  8.000 mJ  2.000 W  BLOCK=4\n"
            "default  8.000 ms  80.00 mJ  10.00 W  BLOCK=9\n"
            "hypervolume  0.600 of the box between zero and the default\n");
  EXPECT_THAT(ParetoText(job, job.tasks(0), {.where = "power <= 15", .by = spec::Metric::kEnergy}),
              HasSubstr("least energy with power <= 15  4.000 ms"));
}

TEST(ParetoText, SaysThatNothingFits) {
  pb::JobSnapshot job = Done();
  job.mutable_tasks(0)->clear_front();
  EXPECT_THAT(ParetoText(job, job.tasks(0), {.where = "power <= 1"}),
              HasSubstr("no trial is within power <= 1\n"));
}

TEST(ParetoDocument, HoldsTheKeysThatScriptsRelyOn) {
  pb::JobSnapshot job = Done();
  const auto document = ParetoDocument(job.tasks(0), {.where = "power <= 50"});
  EXPECT_EQ(document["front"].size(), 3u);
  EXPECT_EQ(document["chosen"]["configuration"]["BLOCK"], 1);
  EXPECT_EQ(document["front"][1]["knee"], true);
  const auto& metrics = document["front"][1]["metrics"];
  EXPECT_EQ(metrics["latency_seconds"], 2e-3);
  EXPECT_EQ(metrics["throughput_per_second"], 500);
  EXPECT_EQ(metrics["energy_joules"], 10e-3);
  EXPECT_EQ(metrics["power_watts"], 5);
  EXPECT_TRUE(metrics.at("memory_bytes").is_null());
  EXPECT_TRUE(metrics.at("error").is_null());
  EXPECT_EQ(document["default"]["metrics"]["energy_joules"], 80e-3);
  EXPECT_EQ(document["hypervolume"], 0.6);
  job.mutable_tasks(0)->clear_hypervolume();
  EXPECT_TRUE(ParetoDocument(job.tasks(0), {}).at("hypervolume").is_null());
}

TEST(ParetoSvg, DrawsThePointsAndNamesKneeAndDefault) {
  const pb::JobSnapshot job = Done();
  const std::string svg = ParetoSvg(job, job.tasks(0), {});
  EXPECT_THAT(svg, HasSubstr(">knee</text>"));
  EXPECT_THAT(svg, HasSubstr(">default</text>"));
  EXPECT_THAT(svg, HasSubstr("<title>2.000 ms  10.00 mJ; BLOCK=2</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(ParetoSvg(job, pb::TaskSnapshot(job.tasks(0)), {.where = "power < 9"}),
              HasSubstr("with power &lt; 9"));
}

TEST(ParetoSvg, StandsValuesOfZero) {
  pb::JobSnapshot job = Done();
  for (pb::FrontPoint& point : *job.mutable_tasks(0)->mutable_front()) {
    point.mutable_result()->mutable_figures()->set_energy_joules(0);
  }
  job.mutable_tasks(0)->clear_default_result();
  const std::string svg = ParetoSvg(job, job.tasks(0), {});
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(JobDocument, OfSeveralObjectivesHasTheFront) {
  const auto task = JobDocument(Done())["tasks"][0];
  EXPECT_EQ(task["objectives"][1]["metric"], "energy");
  EXPECT_EQ(task["objectives"][1]["direction"], "minimize");
  EXPECT_EQ(task["front"].size(), 3u);
  EXPECT_EQ(task["best"]["metrics"]["latency_seconds"], 2.1e-3);
}

TEST(ResultTable, OfSeveralObjectivesNamesTheFront) {
  const std::string table = ResultTable(Done());
  EXPECT_THAT(table, HasSubstr("metrics   2.100 ms  10.00 mJ; default 8.000 ms  80.00 mJ\n"));
  EXPECT_THAT(table, HasSubstr("front     3 configurations, of which the best is the knee: burnish "
                               "pareto j42\n"));
}

TEST(ProgressLine, OfSeveralObjectivesShowsTheFirstOnesBestAndTheFrontsSize) {
  pb::JobSnapshot job = Done();
  job.set_state(pb::STATE_RUNNING);
  EXPECT_THAT(ProgressLine(job, {}, 200), HasSubstr("best 1.000 ms 8.00x  front 3"));
  EXPECT_THAT(PlainProgressLine(job, {}), HasSubstr("best_s=0.001 front=3"));
  job.mutable_tasks(0)->mutable_objectives()->SwapElements(0, 1);
  job.mutable_tasks(0)->mutable_front()->SwapElements(0, 2);
  EXPECT_THAT(ProgressLine(job, {}, 200), HasSubstr("best 8.000 mJ 10.00x  front 3"));
  EXPECT_THAT(PlainProgressLine(job, {}), HasSubstr("best_energy=0.008 front=3"));
}

}  // namespace
}  // namespace burnish::cli
