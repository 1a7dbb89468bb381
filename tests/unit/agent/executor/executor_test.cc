#include "agent/executor/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "tests/unit/agent/executor/scripted_worker.h"

namespace burnish::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ExecutorTest : public ::testing::Test {
 protected:
  ExecutorTest() { Start("cpu", /*with_reference=*/false); }

  void Start(const std::string& exclusion_group, bool with_reference, int build_workers = 2) {
    executor_.reset();
    ExecutorOptions options;
    options.agent = AgentId("agent");
    options.devices = {TestDevice(exclusion_group)};
    options.artefact_folder = "/artefacts";
    options.reference_folder = "/references";
    options.build_workers = build_workers;
    executor_ = std::make_unique<Executor>(options, script_.Factory(), clock_,
                                           [this](const DeviceId&, work::Report report) {
                                             absl::MutexLock lock(&mutex_);
                                             reports_.push_back(std::move(report));
                                           });
    executor_->AddTask(TaskHash("task"), TestTask(with_reference));
  }

  work::Report NextReport() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(
        +[](std::deque<work::Report>* reports) { return !reports->empty(); }, &reports_));
    work::Report report = std::move(reports_.front());
    reports_.pop_front();
    return report;
  }
  work::Measurement NextMeasurement() { return std::get<work::Measurement>(NextReport().result); }
  bool AnyReport() {
    absl::MutexLock lock(&mutex_);
    return !reports_.empty();
  }
  std::vector<std::string> Held() {
    std::vector<std::string> held;
    for (const HeldAttempt& attempt : executor_->Holding()) held.push_back(attempt.attempt.value());
    return held;
  }
  void MeasureControl() {
    executor_->MeasureControl(DeviceId("agent/cpu:0"), [this](work::Measurement measurement) {
      control_ = std::move(measurement);
      control_done_.Notify();
    });
  }
  // From now on a run hangs until it is stopped; the first one is told of.
  void HangRuns() {
    script_.measure = [this](const MeasureOrder&, const CallLimits& limits) {
      if (!running_.HasBeenNotified()) running_.Notify();
      const absl::Status status = HangUntilStopped(limits);
      if (!stopped_.HasBeenNotified()) stopped_.Notify();
      return status;
    };
  }

  SimulatedClock clock_{absl::UnixEpoch()};
  WorkerScript script_;
  absl::Mutex mutex_;
  std::deque<work::Report> reports_ ABSL_GUARDED_BY(mutex_);
  absl::Notification running_;
  absl::Notification stopped_;
  work::Measurement control_;
  absl::Notification control_done_;
  std::unique_ptr<Executor> executor_;
};

TEST_F(ExecutorTest, AnAssignmentIsCompiledMeasuredAndReported) {
  MeasureOrder seen;
  script_.measure = [&](const MeasureOrder& order, const CallLimits&) {
    seen = order;
    return MeasuredOk();
  };
  executor_->Accept(TestAssignment(7));
  const work::Report report = NextReport();
  EXPECT_EQ(report.attempt.value(), "attempt-7");
  EXPECT_EQ(report.work_item.value(), 107);
  EXPECT_EQ(report.fence.value(), 7);
  const auto& measurement = std::get<work::Measurement>(report.result);
  EXPECT_EQ(measurement.outcome, work::Outcome::kOk);
  EXPECT_EQ(measurement.compile_seconds, 0.25);
  EXPECT_EQ(seen.candidate.artefact.path, R"({"N": 7})");
  EXPECT_EQ(seen.seed, 107u);
  EXPECT_EQ(seen.target.task_hash.value(), "task");
  EXPECT_EQ(seen.target.reference_folder, "/references");
  EXPECT_EQ(seen.target.reference.path, "");
  EXPECT_THAT(Held(), IsEmpty());
}

TEST_F(ExecutorTest, ACandidateRacesLessHardAgainstAnotherDevicesIncumbent) {
  std::vector<double> incumbents;
  script_.measure = [&](const MeasureOrder& order, const CallLimits&) {
    incumbents.push_back(order.incumbent_seconds);
    return MeasuredOk();
  };
  for (const char* device : {"agent/cpu:0", "elsewhere/cpu:0"}) {
    work::Assignment assignment = TestAssignment(static_cast<int>(incumbents.size()));
    std::get<work::MeasureWork>(assignment.work).incumbent = {1e-3, DeviceId(device)};
    executor_->Accept(assignment);
    NextReport();
  }
  executor_->Accept(TestAssignment(9));
  NextReport();
  EXPECT_THAT(incumbents, ElementsAre(1e-3, 1.2e-3, 0));
}

TEST_F(ExecutorTest, AfterSomeCandidatesTheOthersMayNotCompileForEver) {
  std::vector<std::optional<absl::Duration>> limits;
  script_.compile = [&](const CompileOrder& order, const CallLimits&) {
    limits.push_back(order.time_limit);
    CompileResult result = CompiledOk(order);
    if (limits.size() == 9) {
      result.outcome = work::Outcome::kCompileTimeout;
      result.message = "the compiler took longer than 20s";
    }
    result.seconds = 2;
    return result;
  };
  for (int i = 1; i <= 8; ++i) {
    executor_->Accept(TestAssignment(i));
    NextReport();
  }
  EXPECT_THAT(limits, ::testing::Each(std::nullopt));
  executor_->Accept(TestAssignment(9));
  EXPECT_EQ(NextMeasurement().message,
            "the compiler took longer than 20s (10 times the longest that another configuration "
            "took)");
  EXPECT_EQ(limits.back(), absl::Seconds(20));
}

TEST_F(ExecutorTest, ADeviceMaySayHowLongCompilingTakes) {
  script_.measure = [](const MeasureOrder&, const CallLimits&) {
    work::Measurement measurement = MeasuredOk();
    measurement.compile_seconds = 3;
    return measurement;
  };
  executor_->Accept(TestAssignment(1));
  EXPECT_EQ(NextMeasurement().compile_seconds, 3);
}

TEST_F(ExecutorTest, WhatDoesNotCompileIsReportedAndNotRun) {
  script_.compile = [](const CompileOrder&, const CallLimits&) {
    CompileResult result;
    result.outcome = work::Outcome::kCompileError;
    result.message = "kernel.cpp:3: no";
    result.seconds = 0.5;
    return result;
  };
  std::atomic<bool> ran = false;
  script_.measure = [&](const MeasureOrder&, const CallLimits&) {
    ran = true;
    return MeasuredOk();
  };
  executor_->Accept(TestAssignment(1));
  const work::Measurement measurement = NextMeasurement();
  EXPECT_EQ(measurement.outcome, work::Outcome::kCompileError);
  EXPECT_EQ(measurement.message, "kernel.cpp:3: no");
  EXPECT_EQ(measurement.compile_seconds, 0.5);
  EXPECT_EQ(measurement.environment.at("compiler"), "test");
  EXPECT_FALSE(ran);
}

TEST_F(ExecutorTest, TheReferenceIsCompiledOncePerTask) {
  Start("cpu", /*with_reference=*/true);
  std::atomic<int> references = 0;
  script_.compile = [&](const CompileOrder& order, const CallLimits&) {
    if (!order.configuration) ++references;
    return CompiledOk(order);
  };
  std::atomic<int> with_reference = 0;
  script_.measure = [&](const MeasureOrder& order, const CallLimits&) {
    if (order.target.reference.path == "reference") ++with_reference;
    return MeasuredOk();
  };
  for (int i = 0; i < 6; ++i) executor_->Accept(TestAssignment(i));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(NextMeasurement().outcome, work::Outcome::kOk);
  EXPECT_EQ(references, 1);
  EXPECT_EQ(with_reference, 6);
}

TEST_F(ExecutorTest, AnOperatorAsReferenceIsNotCompiled) {
  work::TaskDefinition task = TestTask(/*with_reference=*/false);
  task.reference.kind = spec::Reference::Kind::kOperator;
  executor_->AddTask(TaskHash("operator"), std::move(task));
  std::atomic<int> references = 0;
  script_.compile = [&](const CompileOrder& order, const CallLimits&) {
    if (!order.configuration) ++references;
    return CompiledOk(order);
  };
  script_.measure = [&](const MeasureOrder& order, const CallLimits&) {
    EXPECT_EQ(order.target.reference.path, "");
    return MeasuredOk();
  };
  work::Assignment assignment = TestAssignment(1);
  assignment.task = TaskHash("operator");
  executor_->Accept(assignment);
  EXPECT_EQ(NextMeasurement().outcome, work::Outcome::kOk);
  EXPECT_EQ(references, 0);
}

TEST_F(ExecutorTest, AReferenceThatDoesNotCompileFailsEveryAttemptOfItsTask) {
  Start("cpu", /*with_reference=*/true);
  absl::BlockingCounter accepted(2);
  script_.compile = [&](const CompileOrder& order,
                        const CallLimits& limits) -> absl::StatusOr<CompileResult> {
    if (order.configuration) return HangUntilStopped(limits);
    accepted.Wait();
    CompileResult result;
    result.outcome = work::Outcome::kCompileError;
    result.message = "no such header";
    return result;
  };
  for (int i = 0; i < 2; ++i) {
    executor_->Accept(TestAssignment(i));
    accepted.DecrementCount();
  }
  for (int i = 0; i < 2; ++i) {
    const work::Measurement measurement = NextMeasurement();
    EXPECT_EQ(measurement.outcome, work::Outcome::kCompileError);
    EXPECT_EQ(measurement.message, "the reference: no such header");
  }
  EXPECT_THAT(Held(), IsEmpty());
}

TEST_F(ExecutorTest, NothingCompilesDuringARunOnTheHostsOwnProcessor) {
  Start("cpu", /*with_reference=*/false, /*build_workers=*/4);
  std::atomic<int> compiling = 0;
  std::atomic<int> running = 0;
  std::atomic<int> overlaps = 0;
  script_.compile = [&](const CompileOrder& order, const CallLimits&) {
    ++compiling;
    for (int i = 0; i < 100; ++i) {
      if (running > 0) ++overlaps;
      std::this_thread::yield();
    }
    --compiling;
    return CompiledOk(order);
  };
  script_.measure = [&](const MeasureOrder&, const CallLimits&) {
    if (++running > 1) ++overlaps;
    for (int i = 0; i < 100; ++i) {
      if (compiling > 0) ++overlaps;
      std::this_thread::yield();
    }
    --running;
    return MeasuredOk();
  };
  for (int i = 0; i < 100; ++i) executor_->Accept(TestAssignment(i));
  for (int i = 0; i < 100; ++i) NextReport();
  EXPECT_EQ(overlaps, 0);
}

TEST_F(ExecutorTest, OnADeviceApartCompilingGoesOnDuringARun) {
  Start("gpu0", /*with_reference=*/false);
  absl::Notification second_compiled;
  script_.compile = [&](const CompileOrder& order, const CallLimits&) {
    if (std::get<int64_t>(order.configuration->front().value) == 2) second_compiled.Notify();
    return CompiledOk(order);
  };
  script_.measure = [&](const MeasureOrder&, const CallLimits&) {
    if (!running_.HasBeenNotified()) running_.Notify();
    second_compiled.WaitForNotification();
    return MeasuredOk();
  };
  executor_->Accept(TestAssignment(1));
  running_.WaitForNotification();
  executor_->Accept(TestAssignment(2));
  NextReport();
  NextReport();
}

TEST_F(ExecutorTest, ARevokedRunIsKilledAndNotReported) {
  HangRuns();
  executor_->Accept(TestAssignment(1));
  running_.WaitForNotification();
  executor_->Drop(AttemptId("attempt-1"), "revoked");
  EXPECT_THAT(Held(), IsEmpty());
  stopped_.WaitForNotification();
  executor_.reset();
  EXPECT_FALSE(AnyReport());
}

TEST_F(ExecutorTest, ARevokedCompilationIsKilledAndTheNextOneGoesOn) {
  Start("cpu", /*with_reference=*/false, /*build_workers=*/1);
  script_.compile = [&](const CompileOrder& order,
                        const CallLimits& limits) -> absl::StatusOr<CompileResult> {
    if (std::get<int64_t>(order.configuration->front().value) == 2) return CompiledOk(order);
    running_.Notify();
    return HangUntilStopped(limits);
  };
  executor_->Accept(TestAssignment(1));
  running_.WaitForNotification();
  executor_->Accept(TestAssignment(2));
  executor_->Drop(AttemptId("attempt-1"), "revoked");
  EXPECT_EQ(NextReport().attempt.value(), "attempt-2");
}

TEST_F(ExecutorTest, WithoutRenewalAnAttemptIsKilledAtNineTenthsOfItsLease) {
  HangRuns();
  executor_->SetLease(absl::Seconds(30));
  executor_->Accept(TestAssignment(1));
  executor_->Accept(TestAssignment(2));
  running_.WaitForNotification();
  clock_.Advance(absl::Seconds(20));
  executor_->Renew({AttemptId("attempt-1")}, absl::Seconds(19));
  // Any renewal makes the executor look at all leases.
  clock_.Advance(absl::Seconds(25));
  executor_->Renew({}, absl::ZeroDuration());
  while (Held().size() > 1) std::this_thread::yield();
  EXPECT_THAT(Held(), ElementsAre("attempt-1"));
  clock_.Advance(absl::Seconds(1));
  executor_->Renew({}, absl::ZeroDuration());
  while (!Held().empty()) std::this_thread::yield();
  stopped_.WaitForNotification();
  executor_.reset();
  EXPECT_FALSE(AnyReport());
}

TEST_F(ExecutorTest, KeepOnlyDropsTheOthers) {
  HangRuns();
  for (int i = 1; i <= 3; ++i) executor_->Accept(TestAssignment(i));
  executor_->KeepOnly({AttemptId("attempt-2"), AttemptId("unknown")});
  EXPECT_THAT(Held(), ElementsAre("attempt-2"));
}

TEST_F(ExecutorTest, WhatTheAgentDoesNotHaveIsReportedAsInfrastructure) {
  work::Assignment assignment = TestAssignment(1);
  assignment.device = DeviceId("agent/cuda:3");
  executor_->Accept(assignment);
  work::Measurement measurement = NextMeasurement();
  EXPECT_EQ(measurement.outcome, work::Outcome::kInfrastructure);
  EXPECT_THAT(measurement.message, HasSubstr("does not have device agent/cuda:3"));
  assignment = TestAssignment(2);
  assignment.task = TaskHash("other");
  executor_->Accept(assignment);
  EXPECT_THAT(NextMeasurement().message, HasSubstr("does not have task other"));
}

TEST_F(ExecutorTest, AWorkerThatDiesIsInfrastructureAndTheNextAttemptIsServed) {
  std::atomic<int> calls = 0;
  script_.compile = [&](const CompileOrder& order,
                        const CallLimits&) -> absl::StatusOr<CompileResult> {
    if (calls++ == 0) return absl::UnavailableError("the worker died: signal 9");
    return CompiledOk(order);
  };
  executor_->Accept(TestAssignment(1));
  work::Measurement measurement = NextMeasurement();
  EXPECT_EQ(measurement.outcome, work::Outcome::kInfrastructure);
  EXPECT_EQ(measurement.message, "compiling: the worker died: signal 9");

  std::atomic<int> runs = 0;
  script_.measure = [&](const MeasureOrder&,
                        const CallLimits&) -> absl::StatusOr<work::Measurement> {
    if (runs++ == 0) return absl::DeadlineExceededError("no answer within 40s");
    return MeasuredOk();
  };
  executor_->Accept(TestAssignment(2));
  measurement = NextMeasurement();
  EXPECT_EQ(measurement.outcome, work::Outcome::kInfrastructure);
  EXPECT_EQ(measurement.message, "no answer within 40s");
  executor_->Accept(TestAssignment(3));
  EXPECT_EQ(NextMeasurement().outcome, work::Outcome::kOk);
}

TEST_F(ExecutorTest, DeadlinesLieAboveTheTasksTimeoutsAndTheFirstRunMayComputeTheReference) {
  Start("cpu", /*with_reference=*/true);
  absl::Duration compile, first_run, second_run;
  script_.compile = [&](const CompileOrder& order, const CallLimits& limits) {
    if (order.configuration) compile = limits.timeout;
    return CompiledOk(order);
  };
  script_.measure = [&](const MeasureOrder&, const CallLimits& limits) {
    (first_run == absl::ZeroDuration() ? first_run : second_run) = limits.timeout;
    return MeasuredOk();
  };
  const Deadlines deadlines;
  executor_->Accept(TestAssignment(1));
  NextReport();
  executor_->Accept(TestAssignment(2));
  NextReport();
  EXPECT_EQ(compile, absl::Seconds(60) + deadlines.compile_margin);
  EXPECT_EQ(second_run, absl::Seconds(10) + deadlines.run_margin);
  EXPECT_GT(first_run, second_run + absl::Minutes(1));
}

TEST_F(ExecutorTest, FinalistsAreComparedInTheirOrder) {
  work::Assignment assignment = TestAssignment(1);
  assignment.work = work::CompareWork{{{{"N", int64_t{4}}}, {{"N", int64_t{2}}}}, 20};
  CompareOrder seen;
  script_.compare = [&](const CompareOrder& order, const CallLimits&) {
    seen = order;
    work::Comparison comparison;
    comparison.outcome = work::Outcome::kOk;
    return comparison;
  };
  executor_->Accept(assignment);
  const work::Report report = NextReport();
  EXPECT_EQ(std::get<work::Comparison>(report.result).outcome, work::Outcome::kOk);
  ASSERT_EQ(seen.finalists.size(), 2u);
  EXPECT_EQ(seen.finalists[0].artefact.path, R"({"N": 4})");
  EXPECT_EQ(seen.finalists[1].artefact.path, R"({"N": 2})");
  EXPECT_EQ(seen.rounds, 20);
}

TEST_F(ExecutorTest, AReportComesWithItsDevice) {
  DeviceId device;
  absl::Notification reported;
  Executor executor({.agent = AgentId("agent"), .devices = {TestDevice("cpu")}}, script_.Factory(),
                    clock_, [&](const DeviceId& id, const work::Report&) {
                      device = id;
                      reported.Notify();
                    });
  executor.AddTask(TaskHash("task"), TestTask(/*with_reference=*/false));
  executor.Accept(TestAssignment(1));
  reported.WaitForNotification();
  EXPECT_EQ(device.value(), "agent/cpu:0");
}

TEST_F(ExecutorTest, TheControlKernelIsVerifiedMeasuredAndNotReported) {
  MeasureOrder seen;
  script_.measure = [&](const MeasureOrder& order, const CallLimits&) {
    seen = order;
    return MeasuredOk();
  };
  MeasureControl();
  control_done_.WaitForNotification();
  EXPECT_EQ(control_.outcome, work::Outcome::kOk);
  EXPECT_EQ(control_.compile_seconds, 0.25);
  EXPECT_EQ(control_.environment.at("compiler"), "test");
  EXPECT_EQ(seen.target.task->problem, "control");
  EXPECT_EQ(seen.target.reference.path, "reference");
  EXPECT_FALSE(AnyReport());
}

TEST_F(ExecutorTest, RoofsAreMeasuredByTheDevicesRunWorkerInItsTurn) {
  RoofOrder seen;
  script_.measure_roofs = [&](const RoofOrder& order, const CallLimits&) {
    seen = order;
    return absl::UnavailableError("died");
  };
  absl::Notification done;
  executor_->MeasureRoofs(DeviceId("agent/cpu:0"), [&](const absl::StatusOr<work::Roofs>& roofs) {
    EXPECT_EQ(roofs.status().message(), "died");
    executor_->Holding();  // no lock is held
    done.Notify();
  });
  done.WaitForNotification();
  EXPECT_EQ(seen.backend, "cpu");
  EXPECT_FALSE(seen.artefact_folder.empty());
  EXPECT_FALSE(AnyReport());
}

TEST_F(ExecutorTest, TheControlKernelIsNoLease) {
  absl::Notification go_on;
  script_.measure = [&](const MeasureOrder&, const CallLimits& limits) {
    running_.Notify();
    go_on.WaitForNotification();
    EXPECT_FALSE(limits.stop.stop_requested());
    return MeasuredOk();
  };
  MeasureControl();
  running_.WaitForNotification();
  EXPECT_THAT(Held(), IsEmpty());
  executor_->KeepOnly({});
  // The lease of what comes after it ends; that of the control kernel is looked at before.
  executor_->AddTask(TaskHash("task"), TestTask(/*with_reference=*/false));
  executor_->Accept(TestAssignment(1));
  clock_.Advance(absl::Hours(1));
  executor_->Renew({}, absl::ZeroDuration());
  while (!Held().empty()) std::this_thread::yield();
  go_on.Notify();
  control_done_.WaitForNotification();
  EXPECT_EQ(control_.outcome, work::Outcome::kOk);
}

TEST_F(ExecutorTest, TheControlKernelGoesAheadOfWhatWaitsButBesideNoRun) {
  Start("gpu0", /*with_reference=*/false, /*build_workers=*/1);
  absl::Notification go_on, all_ready;
  script_.compile = [&](const CompileOrder& order, const CallLimits&) {
    const bool last = order.configuration && space::ToJson(*order.configuration) == R"({"N": 9})";
    if (last) all_ready.Notify();  // this worker has queued all that it built before
    return CompiledOk(order);
  };
  std::vector<std::string> order_of_runs;
  script_.measure = [&](const MeasureOrder& order, const CallLimits&) {
    order_of_runs.push_back(order.candidate.artefact.path);
    if (order_of_runs.size() == 1) {
      running_.Notify();
      go_on.WaitForNotification();
    }
    return MeasuredOk();
  };
  executor_->Accept(TestAssignment(1));
  running_.WaitForNotification();
  executor_->Accept(TestAssignment(2));
  executor_->Accept(TestAssignment(3));
  MeasureControl();
  executor_->Accept(TestAssignment(9));
  all_ready.WaitForNotification();
  EXPECT_EQ(order_of_runs.size(), 1u);
  go_on.Notify();
  for (int i = 0; i < 4; ++i) NextReport();
  EXPECT_THAT(order_of_runs,
              ElementsAre(R"({"N": 1})", "{}", R"({"N": 2})", R"({"N": 3})", R"({"N": 9})"));
}

TEST_F(ExecutorTest, AControlKernelThatFailsSaysHow) {
  script_.measure = [&](const MeasureOrder&,
                        const CallLimits&) -> absl::StatusOr<work::Measurement> {
    return absl::UnavailableError("the worker died: signal 9");
  };
  MeasureControl();
  control_done_.WaitForNotification();
  EXPECT_EQ(control_.outcome, work::Outcome::kInfrastructure);
  EXPECT_EQ(control_.message, "the worker died: signal 9");
  EXPECT_FALSE(AnyReport());
}

TEST_F(ExecutorTest, EndingItKillsTheControlKernelToo) {
  HangRuns();
  MeasureControl();
  running_.WaitForNotification();
  executor_.reset();
  EXPECT_TRUE(stopped_.HasBeenNotified());
  EXPECT_FALSE(control_done_.HasBeenNotified());
}

TEST_F(ExecutorTest, EndingItKillsWhatRuns) {
  HangRuns();
  executor_->Accept(TestAssignment(1));
  running_.WaitForNotification();
  executor_.reset();
  EXPECT_TRUE(stopped_.HasBeenNotified());
  EXPECT_FALSE(AnyReport());
}

TEST_F(ExecutorTest, AttemptsOfAnExpectedTaskAreHeldUntilItIsThere) {
  work::Assignment assignment = TestAssignment(1);
  assignment.task = TaskHash("later");
  executor_->ExpectTask(TaskHash("later"));
  executor_->Accept(assignment);
  executor_->Accept(TestAssignment(2));
  EXPECT_EQ(NextReport().attempt.value(), "attempt-2");
  EXPECT_THAT(Held(), ElementsAre("attempt-1"));
  executor_->AddTask(TaskHash("later"), TestTask(false));
  const work::Report report = NextReport();
  EXPECT_EQ(report.attempt.value(), "attempt-1");
  EXPECT_EQ(std::get<work::Measurement>(report.result).outcome, work::Outcome::kOk);
}

TEST_F(ExecutorTest, AttemptsOfATaskThatCannotComeAreInfrastructure) {
  work::Assignment assignment = TestAssignment(1);
  assignment.task = TaskHash("later");
  executor_->ExpectTask(TaskHash("later"));
  executor_->Accept(assignment);
  executor_->FailTask(TaskHash("later"), "fetching big.cc: nobody listens");
  work::Measurement measurement = NextMeasurement();
  EXPECT_EQ(measurement.outcome, work::Outcome::kInfrastructure);
  EXPECT_EQ(measurement.message, "fetching big.cc: nobody listens");
  assignment.attempt = AttemptId("attempt-9");
  executor_->Accept(assignment);
  EXPECT_EQ(NextMeasurement().message, "fetching big.cc: nobody listens");
  EXPECT_THAT(Held(), IsEmpty());
  // A later try may succeed.
  executor_->AddTask(TaskHash("later"), TestTask(false));
  executor_->Accept(assignment);
  EXPECT_EQ(NextMeasurement().outcome, work::Outcome::kOk);
}

TEST_F(ExecutorTest, AWaitingAttemptCanBeDropped) {
  work::Assignment assignment = TestAssignment(1);
  assignment.task = TaskHash("later");
  executor_->ExpectTask(TaskHash("later"));
  executor_->Accept(assignment);
  executor_->Drop(assignment.attempt, "revoked");
  EXPECT_THAT(Held(), IsEmpty());
  executor_->AddTask(TaskHash("later"), TestTask(false));
  executor_->Accept(TestAssignment(2));
  EXPECT_EQ(NextReport().attempt.value(), "attempt-2");
  EXPECT_FALSE(AnyReport());
}

}  // namespace
}  // namespace burnish::agent
