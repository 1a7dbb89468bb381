#include "server/jobs/submission.h"

#include <limits>

#include "common/base/diagnostic.h"
#include "common/work/schedule.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/jobs/farm.h"

namespace burnish::jobs {
namespace {

using testing::HasSubstr;

absl::StatusOr<Submitted> TrySubmit(Farm& farm, const spec::JobText& job,
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
  EXPECT_FALSE(job->existed);
  const store::JobWithTasks stored = farm.Get(job->job);
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
  EXPECT_EQ(retry->job, first->job);
  EXPECT_TRUE(retry->existed);
  EXPECT_FALSE(TrySubmit(farm, JobOf("budget: {trials: 30}"), "r2").ok());
}

TEST(Submit, StoresTheBoundsThatCanBeForeseen) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const auto job = TrySubmit(farm, JobOf("budget: {trials: 30, seconds: 60, device_seconds: 45}"));
  ASSERT_TRUE(job.ok()) << job.status();
  const store::NewTask what = farm.Get(job->job).tasks[0].what;
  EXPECT_EQ(what.budget_seconds, 60);
  EXPECT_EQ(what.budget_device_seconds, 45);
}

TEST(Submit, RefusesAShareOfARoofThatTheDeviceHasNot) {
  const auto try_with = [](work::Roofs roofs) {
    Farm farm;
    work::DeviceInfo device = Cpu();
    device.roofs = std::move(roofs);
    farm.Attach("a", device, Bowl);
    spec::JobText job = JobOf("budget: {roof_share: 0.8}");
    job.text.replace(job.text.find("{flops: \"2 * n\"}"), 16, "{flops: 32, bytes: 64}");
    return TrySubmit(farm, job).status();
  };
  EXPECT_TRUE(try_with({.absence = work::kRoofsPending}).ok());
  const absl::Status none = try_with({.absence = "measuring them failed: x"});
  EXPECT_EQ(none.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(none.message(), HasSubstr("toy.yaml: budget.roof_share: Test CPU has no roof for "
                                        "this work: measuring them failed: x"));
  EXPECT_THAT(try_with({.peaks = {{"f64", 1, 1e12}}, .bandwidths = {{"memory", 1 << 20, 1, 640e6}}})
                  .message(),
              HasSubstr("none was measured for f32"));
}

work::DeviceInfo MeasuringCpu(const std::string& device_class, std::vector<spec::Metric> metrics) {
  work::DeviceInfo device = Cpu(device_class);
  device.metrics = std::move(metrics);
  return device;
}

TEST(Submit, RefusesAMetricThatNoDeviceMeasuresAndSaysWhatThereIs) {
  Farm farm;
  farm.Attach("a", MeasuringCpu("zen4", {spec::Metric::kMemory}), Bowl);
  const auto refused = TrySubmit(farm, JobOf("objectives: [latency, energy]"));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.status().message(),
              HasSubstr("toy.yaml: objectives[1]: no device that matches measures energy; cpu "
                        "devices measure latency, throughput, memory"));
  EXPECT_THAT(TrySubmit(farm, JobOf("limits: [memory < 9, power <= 15]")).status().message(),
              HasSubstr("toy.yaml: limits[1]: no device that matches measures power; cpu"));
  farm.Attach("b", MeasuringCpu("zen5", {spec::Metric::kPower}), Bowl);
  EXPECT_THAT(TrySubmit(farm, JobOf("limits: [memory < 9, power <= 15]")).status().message(),
              HasSubstr("limits[1]: no device that matches measures power and the metrics before "
                        "it; cpu devices measure latency, throughput, memory or latency, "
                        "throughput, power"));
}

TEST(Submit, LeavesOutAClassThatDoesNotMeasureAndWarns) {
  Farm farm;
  farm.Attach("a", MeasuringCpu("zen4", {spec::Metric::kMemory}), Bowl);
  farm.Attach("b", Cpu("zen5"), Bowl);
  const auto job = TrySubmit(farm, JobOf("objectives: [latency, memory]"));
  ASSERT_TRUE(job.ok()) << job.status();
  ASSERT_EQ(farm.Get(job->job).tasks.size(), 1u);
  EXPECT_EQ(farm.Get(job->job).tasks[0].what.device_class, "zen4");
  EXPECT_THAT(job->warnings,
              testing::ElementsAre("objectives[1]: Test CPU (cpu) is left out: it does not measure "
                                   "memory"));
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

TEST(Submit, TakesT1FilesAndRefusesByNameWhatIsNotServed) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const auto t1 = [](const std::string& language) {
    return spec::JobText{
        "toy.json",
        R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "X", "Values": "[1, 2]"}]},
            "KernelSpecification": {"Language": ")" +
            language + R"(", "KernelName": "toy", "KernelFile": "toy.cc", "Arguments": [
              {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly",
               "Size": 4}]}})",
        {{"toy.cc", "code"}}};
  };
  EXPECT_TRUE(TrySubmit(farm, t1("C++")).ok()) << TrySubmit(farm, t1("C++")).status();
  EXPECT_THAT(std::string(TrySubmit(farm, t1("CUDA"), "r2").status().message()),
              HasSubstr("KernelSpecification.Language: language 'CUDA' is not supported"));
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

spec::JobText Workload(const std::string& workload, const std::string& name = "product") {
  return {.file_name = "product.yaml",
          .text = "name: " + name + "\nworkload: " + workload + "\nbudget: {trials: 9}\n",
          .files = {}};
}

TEST(Submit, GivesAWorkloadAScheduleForEachClass) {
  Farm farm;
  work::DeviceInfo wide = Cpu("wide");
  wide.isa = {"avx2", "avx512f"};
  farm.Attach("a", wide, Bowl);
  farm.Attach("b", Cpu("narrow"), Bowl);
  const auto job =
      TrySubmit(farm, Workload("{operator: matmul, shape: {m: 64, n: 64, k: 64}, dtype: f32}"));
  ASSERT_TRUE(job.ok()) << job.status();
  const store::JobWithTasks stored = farm.Get(job->job);
  ASSERT_EQ(stored.tasks.size(), 2u);
  const auto schedule_of = [&](int32_t ordinal) {
    return work::ScheduleFromText(*farm.store().TaskSchedule(kTeam, {job->job, ordinal}));
  };
  ASSERT_TRUE(schedule_of(1).ok()) << schedule_of(1).status();
  const auto lanes = [](const work::Schedule& schedule) {
    return ValueOf(schedule.default_configuration, "VECTOR");
  };
  EXPECT_EQ(lanes(*schedule_of(1)), 16);
  EXPECT_EQ(lanes(*schedule_of(2)), 4);
  // The same problem on both.
  EXPECT_EQ(stored.tasks[0].what.problem_key, stored.tasks[1].what.problem_key);
  EXPECT_EQ(stored.tasks[0].what.work.flops, 2.0 * 64 * 64 * 64);
  EXPECT_EQ(stored.tasks[0].what.work.working_set_bytes, 3 * 64 * 64 * 4);
}

TEST(Submit, NamesEqualProblemsAlikeHoweverTheyAreWritten) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const auto key = [&](const std::string& request, const std::string& workload) {
    const auto job = TrySubmit(farm, Workload(workload, request), request);
    EXPECT_TRUE(job.ok()) << job.status();
    return farm.Get(job->job).tasks[0].what.problem_key;
  };
  const std::string matmul =
      key("r1", "{operator: matmul, shape: {m: 8, n: 9, k: 10}, dtype: f32}");
  EXPECT_EQ(matmul, key("r2",
                        "{operator: einsum, expression: 'ax,xb->ab', "
                        "shape: {a: 8, b: 9, x: 10}, dtype: f32}"));
  EXPECT_NE(matmul,
            key("r3", "{operator: matmul, shape: {m: 8, n: 9, k: 10}, dtype: f32, constant: [b]}"));
  EXPECT_NE(matmul, key("r4",
                        "{operator: matmul, shape: {m: 8, n: 9, k: 10}, dtype: f32, "
                        "threads: 1}"));
}

TEST(Submit, SaysWhyNoTemplateServesAWorkload) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const auto job = TrySubmit(farm, Workload("{operator: einsum, expression: 'bmk,bkn->mnb', "
                                            "shape: {b: 3, m: 4, n: 5, k: 6}, dtype: f32}"));
  EXPECT_THAT(std::string(job.status().message()),
              HasSubstr("the output's last axis is one of a batch"));
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
