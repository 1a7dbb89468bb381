// What every Store must do, tested on each store of StoreFactories(). Here: the fixture, with a
// small job and a small fleet.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/store/store.h"
#include "tests/unit/server/store/store_steps.h"

namespace burnish::store {

struct StoreFactory {
  std::string name;
  std::function<std::unique_ptr<Store>(const Clock&)> make;
};

// Defined in store_factories_test.cc: one entry per store.
std::vector<StoreFactory> StoreFactories();
inline std::string FactoryName(const testing::TestParamInfo<StoreFactory>& info) {
  return info.param.name;
}

inline constexpr absl::Duration kLease = absl::Seconds(30);

inline work::DeviceInfo CpuDevice(int index = 0) {
  return {.backend = "cpu",
          .index = index,
          .name = "Test CPU",
          .device_class = "cpu-test",
          .isa = {"avx2"},
          .languages = {"cpp"},
          .metrics = {spec::Metric::kLatency, spec::Metric::kMemory},
          .labels = {{"rack", "a"}},
          .environment = {{"compiler", "g++ 12"}}};
}

inline space::Configuration BlockOf(int64_t block) {
  return {{"ORDER", std::string("ij")}, {"BLOCK", block}};
}

inline NewTrial TrialOf(int64_t number) {
  return {.number = TrialNumber(number),
          .index = static_cast<uint64_t>(number) + 7,
          .configuration = BlockOf(number),
          .observed = number / 2};
}

inline work::Measurement OkMeasurement(double seconds = 1e-3) {
  return {
      .outcome = work::Outcome::kOk,
      .samples = {{.total_ns = 1'000'000, .launches = 1}, {.total_ns = 2'100'000, .launches = 2}},
      .latency = work::Latency{.statistic = "p20",
                               .seconds = seconds,
                               .interval = {seconds * 0.9, seconds * 1.1},
                               .relative_mad = 0.01,
                               .min_seconds = seconds * 0.8},
      .figures = {.energy_joules = 1.0 / 7, .memory_bytes = 4096},
      .correctness = {.verified = true, .max_relative_error = 1e-7},
      .flags = {"unconverged"},
      .compile_seconds = 0.5,
      .run_seconds = 0.25,
      .environment = {{"compiler", "g++ 12"}}};
}

inline work::Measurement FailedMeasurement(work::Outcome outcome, const std::string& message) {
  return {.outcome = outcome, .message = message, .environment = {{"compiler", "g++ 12"}}};
}

inline HeldAttempt HeldOf(const work::Assignment& assignment) {
  return {assignment.attempt, assignment.work_item, assignment.fence};
}

inline work::Report ReportOf(const work::Assignment& assignment,
                             std::variant<work::Measurement, work::Comparison> result) {
  return {assignment.attempt, assignment.work_item, assignment.fence, std::move(result)};
}

class StoreConformanceTest : public testing::TestWithParam<StoreFactory> {
 protected:
  NewJob JobOf(const std::string& request) const {
    return {.client_request_id = request,
            .name = "convolution",
            .file_name = "job.yaml",
            .text = "name: convolution",
            .files = {{"conv.cpp", "int x;\n"}, {"ref.cpp", "int y;\n"}},
            .hold_id = "hold",
            .tasks = {{.device_class = "cpu-test",
                       .selector = "backend == 'cpu'",
                       .hash = TaskHash("abc"),
                       .problem = "convolution",
                       .problem_key = "key",
                       .source_hash = "source",
                       .space_size = ~uint64_t{0},
                       .budget_trials = 100,
                       .budget_seconds = 600,
                       .budget_device_seconds = 0.25,
                       .work = {2.5e9, 1e6, 4096, "f32"},
                       .goals = "{}"}}};
  }

  // A running job with one running task and trials 0 to `trials` - 1.
  TaskId RunningTask(int trials, const std::string& request = "") {
    const JobId job = store_->CreateJob(owner_, JobOf(request))->first;
    const TaskId task{job, 1};
    EXPECT_TRUE(store_->MoveJob(owner_, job, {State::kQueued}, State::kRunning, "").ok());
    EXPECT_TRUE(store::MoveTask(*store_, owner_, task, {State::kQueued}, State::kRunning, "").ok());
    AddTrials(task, 0, trials);
    return task;
  }

  void AddTrials(const TaskId& task, int64_t first, int64_t end) {
    std::vector<NewTrial> added;
    for (int64_t number = first; number < end; ++number) added.push_back(TrialOf(number));
    EXPECT_TRUE(store::AddTrials(*store_, owner_, task, added).ok());
  }

  SessionId Open(const std::string& agent, const std::vector<HeldAttempt>& holding = {}) {
    return store_->OpenSession(AgentId(agent), {CpuDevice()}, holding, kLease)->session;
  }

  std::vector<work::Assignment> Claim(const SessionId& session, const std::string& agent,
                                      const TaskId& task, int limit) {
    auto claimed = store::Claim(*store_, session, DeviceId(agent + "/cpu:0"), task, limit, kLease);
    EXPECT_TRUE(claimed.ok()) << claimed.status();
    return *std::move(claimed);
  }

  work::Assignment ClaimOne(const SessionId& session, const std::string& agent,
                            const TaskId& task) {
    const std::vector<work::Assignment> claimed = Claim(session, agent, task, 1);
    EXPECT_EQ(claimed.size(), 1u);
    return claimed.at(0);
  }

  work::ReportResult StoreResult(const SessionId& session, const work::Assignment& assignment,
                                 const std::variant<work::Measurement, work::Comparison>& result) {
    const auto stored = store::StoreReport(*store_, session, ReportOf(assignment, result));
    EXPECT_TRUE(stored.ok()) << stored.status();
    return *stored;
  }

  std::vector<Trial> Finished(const TaskId& task, int64_t from = 0) {
    return store::FinishedTrials(*store_, owner_, task, from);
  }

  std::vector<ResultRow> Measurements(const TaskId& task) {
    return *store_->Results(owner_, task.job, "measure", 0, 1000);
  }

  const Namespace owner_{"lab"};
  SimulatedClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  std::unique_ptr<Store> store_ = GetParam().make(clock_);
};

}  // namespace burnish::store
