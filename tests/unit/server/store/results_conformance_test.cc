#include <cmath>
#include <limits>

#include "common/base/limits.h"
#include "tests/unit/server/store/store_conformance.h"

namespace burnish::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using work::Outcome;
using work::ReportResult;

TEST_P(StoreConformanceTest, TrialsReadBackInOrderOfNumberAndAreAddedOnce) {
  const TaskId task = RunningTask(0);
  AddTrials(task, 0, 2);
  AddTrials(task, 1, 3);  // 1 is a retry
  const auto trials = *store_->Trials(owner_, task);
  ASSERT_THAT(trials, SizeIs(3));
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(trials[i].what.number, TrialNumber(i));
    EXPECT_EQ(trials[i].what.index, TrialOf(i).index);
    EXPECT_EQ(trials[i].what.observed, i / 2);
    EXPECT_TRUE(space::SameConfiguration(trials[i].what.configuration, BlockOf(i)));
    EXPECT_FALSE(trials[i].finished_position.has_value());
  }
  EXPECT_EQ(store_->OpenTasks()->at(0).queued, 3);
}

TEST_P(StoreConformanceTest, TrialsFinishInTheOrderOfTheirReports) {
  const TaskId task = RunningTask(3);
  const SessionId session = Open("a");
  const auto claimed = Claim(session, "a", task, 3);
  StoreResult(session, claimed[2], OkMeasurement(2e-3));
  StoreResult(session, claimed[0], FailedMeasurement(Outcome::kCompileError, "no ;"));
  const auto finished = Finished(task);
  ASSERT_THAT(finished, SizeIs(2));
  EXPECT_EQ(finished[0].what.number, TrialNumber(2));
  EXPECT_EQ(finished[0].finished_position, 0);
  EXPECT_EQ(finished[0].outcome, Outcome::kOk);
  ASSERT_TRUE(finished[0].latency.has_value());
  EXPECT_EQ(finished[0].latency->seconds, 2e-3);
  EXPECT_EQ(finished[0].figures, OkMeasurement().figures);
  EXPECT_TRUE(finished[0].correctness.verified);
  EXPECT_EQ(finished[1].what.number, TrialNumber(0));
  EXPECT_EQ(finished[1].finished_position, 1);
  EXPECT_EQ(finished[1].outcome, Outcome::kCompileError);
  EXPECT_EQ(finished[1].message, "no ;");
  EXPECT_FALSE(finished[1].latency.has_value());
  EXPECT_THAT(Finished(task, 1), SizeIs(1));
  EXPECT_THAT(Finished(task, 2), IsEmpty());
}

TEST_P(StoreConformanceTest, AMeasurementReadsBackExactly) {
  const TaskId task = RunningTask(1);
  const SessionId session = Open("a");
  const auto claimed = ClaimOne(session, "a", task);
  work::Measurement sent = OkMeasurement(1.0 / 3);
  sent.message = std::string("caf\xe9 \"quo\\ted\", NULL {}\0\n", 25);  // not UTF-8
  sent.correctness.max_relative_error = std::numeric_limits<double>::infinity();
  sent.correctness.relative_frobenius = std::nan("");
  StoreResult(session, claimed, sent);
  const auto rows = Measurements(task);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].attempt, claimed.attempt);
  EXPECT_EQ(rows[0].task, task);
  EXPECT_EQ(rows[0].trial, TrialNumber(0));
  EXPECT_EQ(rows[0].device, DeviceId("a/cpu:0"));
  EXPECT_FALSE(rows[0].late);
  EXPECT_EQ(rows[0].stored, clock_.Now());
  EXPECT_TRUE(space::SameConfiguration(*rows[0].configuration, BlockOf(0)));
  const auto& read = std::get<work::Measurement>(rows[0].result);
  EXPECT_EQ(read.outcome, Outcome::kOk);
  EXPECT_EQ(read.message, "caf\uFFFD \"quo\\ted\", NULL {}\uFFFD\n");
  ASSERT_THAT(read.samples, SizeIs(2));
  EXPECT_EQ(read.samples[1].total_ns, 2'100'000);
  EXPECT_EQ(read.samples[1].launches, 2);
  ASSERT_TRUE(read.latency.has_value());
  EXPECT_EQ(read.latency->statistic, "p20");
  EXPECT_EQ(read.latency->seconds, 1.0 / 3);
  EXPECT_EQ(read.latency->interval.low, sent.latency->interval.low);
  EXPECT_EQ(read.latency->relative_mad, 0.01);
  EXPECT_EQ(read.latency->min_seconds, sent.latency->min_seconds);
  EXPECT_EQ(read.figures, sent.figures);
  EXPECT_EQ(read.correctness.max_relative_error, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(read.correctness.relative_frobenius));
  EXPECT_THAT(read.flags, ElementsAre("unconverged"));
  EXPECT_EQ(read.compile_seconds, 0.5);
  EXPECT_EQ(read.run_seconds, 0.25);
  EXPECT_EQ(read.environment, sent.environment);
}

TEST_P(StoreConformanceTest, AReportSentTwiceIsStoredOnce) {
  const TaskId task = RunningTask(1);
  const SessionId session = Open("a");
  const auto claimed = ClaimOne(session, "a", task);
  EXPECT_EQ(StoreResult(session, claimed, OkMeasurement()), ReportResult::kStored);
  EXPECT_EQ(StoreResult(session, claimed, OkMeasurement(9)), ReportResult::kDuplicate);
  EXPECT_EQ(StoreResult(Open("a"), claimed, OkMeasurement(9)), ReportResult::kDuplicate);
  EXPECT_THAT(Measurements(task), SizeIs(1));
  EXPECT_EQ(Finished(task)[0].latency->seconds, 1e-3);
}

TEST_P(StoreConformanceTest, AStaleHoldersReportIsKeptAndChangesNothing) {
  const TaskId task = RunningTask(1);
  const SessionId a = Open("a");
  const auto stale = ClaimOne(a, "a", task);
  clock_.Advance(kLease);
  ASSERT_TRUE(store_->ExpireLeases().ok());
  const SessionId b = Open("b");
  const auto current = ClaimOne(b, "b", task);
  EXPECT_EQ(StoreResult(a, stale, OkMeasurement(5)), ReportResult::kLate);
  EXPECT_THAT(Finished(task), IsEmpty());
  EXPECT_TRUE(IsCurrent(*store_, HeldOf(current)));
  EXPECT_EQ(StoreResult(a, stale, OkMeasurement(5)), ReportResult::kDuplicate);
  EXPECT_EQ(StoreResult(b, current, OkMeasurement(6)), ReportResult::kStored);
  EXPECT_EQ(Finished(task)[0].latency->seconds, 6);
  const auto rows = Measurements(task);
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_TRUE(rows[0].late);
  EXPECT_EQ(rows[0].device, DeviceId("a/cpu:0"));
  EXPECT_FALSE(rows[1].late);
}

TEST_P(StoreConformanceTest, AReportAfterALostLeaseCountsWhileNobodyElseHasTheItem) {
  const TaskId task = RunningTask(2);
  const SessionId session = Open("a");
  const auto claimed = Claim(session, "a", task, 2);
  clock_.Advance(kLease);
  ASSERT_TRUE(store_->ExpireLeases().ok());
  EXPECT_EQ(StoreResult(session, claimed[0], OkMeasurement()), ReportResult::kStored);
  EXPECT_THAT(Finished(task), SizeIs(1));
  // Its loss has been counted: the same attempt does not count as a second failure.
  EXPECT_EQ(StoreResult(session, claimed[1], FailedMeasurement(Outcome::kInfrastructure, "")),
            ReportResult::kLate);
  EXPECT_EQ(store_->OpenTasks()->at(0).queued, 1);
}

TEST_P(StoreConformanceTest, InfrastructureOutcomesAreRetriedThreeTimesInAll) {
  const TaskId task = RunningTask(1);
  const SessionId session = Open("a");
  for (int i = 0; i < limits::kAttemptsWithoutReport; ++i) {
    EXPECT_THAT(Finished(task), IsEmpty());
    const auto claimed = ClaimOne(session, "a", task);
    EXPECT_EQ(
        StoreResult(session, claimed, FailedMeasurement(Outcome::kInfrastructure, "worker lost")),
        ReportResult::kStored);
  }
  ASSERT_THAT(Finished(task), SizeIs(1));
  EXPECT_EQ(Finished(task)[0].outcome, Outcome::kInfrastructure);
  EXPECT_EQ(Finished(task)[0].message, "worker lost");
  EXPECT_THAT(Measurements(task), SizeIs(limits::kAttemptsWithoutReport));
  EXPECT_THAT(*store_->OpenTasks(), IsEmpty());
}

TEST_P(StoreConformanceTest, ATrialHasTheDeviceSecondsOfAllAttemptsThatCount) {
  const SessionId session = Open("a");
  work::Measurement lost = FailedMeasurement(Outcome::kInfrastructure, "worker lost");
  lost.run_seconds = 0.125;
  const TaskId first = RunningTask(1);
  StoreResult(session, ClaimOne(session, "a", first), lost);
  const auto claimed = ClaimOne(session, "a", first);
  StoreResult(session, claimed, OkMeasurement());
  StoreResult(session, claimed, OkMeasurement());  // sent twice
  ASSERT_THAT(Finished(first), SizeIs(1));
  EXPECT_EQ(Finished(first)[0].device_seconds, 0.125 + 0.5 + 0.25);
  EXPECT_EQ(store_->Trials(owner_, first)->at(0).device_seconds, 0.125 + 0.5 + 0.25);

  const TaskId second = RunningTask(1);
  for (int i = 0; i < limits::kAttemptsWithoutReport; ++i) {
    StoreResult(session, ClaimOne(session, "a", second), lost);
  }
  ASSERT_THAT(Finished(second), SizeIs(1));
  EXPECT_EQ(Finished(second)[0].device_seconds, limits::kAttemptsWithoutReport * 0.125);
}

TEST_P(StoreConformanceTest, EarlierCostsAreThoseOfDoneTasksOfTheSameProblem) {
  const auto run = [&](const std::string& request, int trials, absl::Duration took) {
    const TaskId task = RunningTask(trials, request);
    const SessionId session = Open("a");
    for (const auto& claimed : Claim(session, "a", task, trials)) {
      StoreResult(session, claimed, OkMeasurement());
    }
    clock_.Advance(took);
    EXPECT_TRUE(store::MoveTask(*store_, owner_, task, {State::kRunning}, State::kFinishing).ok());
    EXPECT_TRUE(store::MoveTask(*store_, owner_, task, {State::kFinishing}, State::kDone).ok());
  };
  NewTask what = JobOf("").tasks[0];
  EXPECT_THAT(*store_->EarlierCosts(owner_, what, 10), IsEmpty());
  run("first", 1, absl::Seconds(4));
  run("second", 2, absl::Seconds(6));
  RunningTask(1, "third");  // is not done
  const auto costs = store_->EarlierCosts(owner_, what, 10);
  ASSERT_TRUE(costs.ok()) << costs.status();
  ASSERT_THAT(*costs, SizeIs(2));
  EXPECT_EQ(costs->at(0).trials, 2);
  EXPECT_EQ(costs->at(0).device_seconds, 1.5);
  EXPECT_EQ(costs->at(0).seconds, 6);
  EXPECT_EQ(costs->at(1).trials, 1);
  EXPECT_THAT(*store_->EarlierCosts(owner_, what, 1), SizeIs(1));
  EXPECT_THAT(*store_->EarlierCosts(Namespace("others"), what, 10), IsEmpty());
  for (std::string NewTask::*part :
       {&NewTask::problem_key, &NewTask::source_hash, &NewTask::device_class}) {
    NewTask other = what;
    other.*part = "other";
    EXPECT_THAT(*store_->EarlierCosts(owner_, other, 10), IsEmpty());
  }
}

TEST_P(StoreConformanceTest, LostLeasesAndInfrastructureOutcomesCountTogether) {
  const TaskId task = RunningTask(1);
  const SessionId session = Open("a");
  StoreResult(session, ClaimOne(session, "a", task),
              FailedMeasurement(Outcome::kInfrastructure, "worker lost"));
  ClaimOne(session, "a", task);
  clock_.Advance(kLease);
  ASSERT_TRUE(store_->ExpireLeases().ok());
  ASSERT_TRUE(store::RenewSession(*store_, session, {}, kLease).ok());
  StoreResult(session, ClaimOne(session, "a", task),
              FailedMeasurement(Outcome::kInfrastructure, "worker lost"));
  EXPECT_THAT(Finished(task), SizeIs(1));
}

TEST_P(StoreConformanceTest, AReportThatThisDatabaseNeverAskedForIsNotFound) {
  const TaskId task = RunningTask(1);
  const SessionId session = Open("a");
  const auto claimed = ClaimOne(session, "a", task);
  work::Assignment foreign = claimed;
  foreign.attempt = AttemptId("a1.1.otherdb");
  EXPECT_TRUE(absl::IsNotFound(
      store::StoreReport(*store_, session, ReportOf(foreign, OkMeasurement())).status()));
  EXPECT_TRUE(absl::IsNotFound(
      store::StoreReport(*store_, Open("b"), ReportOf(claimed, OkMeasurement())).status()))
      << "granted to another agent";
  EXPECT_TRUE(absl::IsNotFound(
      store::StoreReport(*store_, SessionId("s99"), ReportOf(claimed, OkMeasurement())).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(
      store::StoreReport(*store_, session, ReportOf(claimed, work::Comparison{})).status()));
  EXPECT_THAT(Measurements(task), IsEmpty());
  EXPECT_TRUE(IsCurrent(*store_, HeldOf(claimed)));
}

TEST_P(StoreConformanceTest, WithdrawnTrialsAreGoneAndTheirLateReportsKept) {
  const TaskId task = RunningTask(4);
  const SessionId session = Open("a");
  const auto claimed = Claim(session, "a", task, 2);
  clock_.Advance(kLease / 4);
  ASSERT_TRUE(store::RenewSession(*store_, session, {HeldOf(claimed[1])}, kLease).ok());
  clock_.Advance(kLease * 7 / 8);
  ASSERT_THAT(*store_->ExpireLeases(), SizeIs(1));  // trial 0 is queued again, 1 leased
  EXPECT_THAT(*store::WithdrawQueuedTrials(*store_, owner_, task),
              ElementsAre(TrialNumber(0), TrialNumber(2), TrialNumber(3)));
  EXPECT_THAT(*store_->OpenTasks(), IsEmpty());
  ASSERT_THAT(*store_->Trials(owner_, task), SizeIs(1));
  EXPECT_EQ(StoreResult(session, claimed[0], OkMeasurement()), ReportResult::kLate);
  EXPECT_THAT(Finished(task), IsEmpty());
  EXPECT_EQ(StoreResult(session, claimed[1], OkMeasurement()), ReportResult::kStored);
  EXPECT_EQ(Finished(task)[0].what.number, TrialNumber(1));
  EXPECT_THAT(*store::WithdrawQueuedTrials(*store_, owner_, task), IsEmpty());
  AddTrials(task, 0, 1);  // a number that was taken back may come again
  EXPECT_EQ(store_->OpenTasks()->at(0).queued, 1);
}

TEST_P(StoreConformanceTest, ResultsComeInOrderAndInPages) {
  const TaskId task = RunningTask(3);
  const SessionId session = Open("a");
  for (const auto& claimed : Claim(session, "a", task, 3)) {
    StoreResult(session, claimed, OkMeasurement());
  }
  const auto first = *store_->Results(owner_, task.job, "measure", 0, 2);
  ASSERT_THAT(first, SizeIs(2));
  EXPECT_LT(first[0].sequence, first[1].sequence);
  const auto rest = *store_->Results(owner_, task.job, "measure", first[1].sequence, 2);
  ASSERT_THAT(rest, SizeIs(1));
  EXPECT_EQ(rest[0].trial, TrialNumber(2));
  EXPECT_THAT(*store_->Results(owner_, task.job, "compare", 0, 2), IsEmpty());
}

work::CompareWork Finalists() { return {.finalists = {BlockOf(0), BlockOf(3)}, .rounds = 7}; }

TEST_P(StoreConformanceTest, AComparisonIsMadeOnceAndReadsBack) {
  const TaskId task = RunningTask(0);
  ASSERT_TRUE(store::AddComparison(*store_, owner_, task, Finalists()).ok());
  ASSERT_TRUE(store::AddComparison(*store_, owner_, task, {}).ok());  // a retry
  EXPECT_EQ(store_->OpenTasks()->at(0).queued, 1);
  EXPECT_THAT(*store::WithdrawQueuedTrials(*store_, owner_, task), IsEmpty());
  EXPECT_EQ(*store_->ComparisonResult(owner_, task), std::nullopt);
  const SessionId session = Open("a");
  const auto claimed = ClaimOne(session, "a", task);
  const auto& work = std::get<work::CompareWork>(claimed.work);
  EXPECT_EQ(work.rounds, 7);
  ASSERT_THAT(work.finalists, SizeIs(2));
  EXPECT_TRUE(space::SameConfiguration(work.finalists[1], BlockOf(3)));
  const work::Comparison sent{.outcome = Outcome::kOk,
                              .finalists = {{.configuration = BlockOf(0),
                                             .outcome = Outcome::kOk,
                                             .rounds = {{10, 1}, {12, 1}},
                                             .correctness = {.verified = true}},
                                            {.configuration = BlockOf(3),
                                             .outcome = Outcome::kCrash,
                                             .message = "signal 11"}},
                              .run_seconds = 2};
  EXPECT_EQ(StoreResult(session, claimed, sent), ReportResult::kStored);
  const auto read = *store_->ComparisonResult(owner_, task);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->outcome, Outcome::kOk);
  EXPECT_EQ(read->run_seconds, 2);
  ASSERT_THAT(read->finalists, SizeIs(2));
  ASSERT_THAT(read->finalists[0].rounds, SizeIs(2));
  EXPECT_EQ(read->finalists[0].rounds[1].total_ns, 12);
  EXPECT_TRUE(read->finalists[0].correctness.verified);
  EXPECT_EQ(read->finalists[1].outcome, Outcome::kCrash);
  EXPECT_EQ(read->finalists[1].message, "signal 11");
  const auto rows = *store_->Results(owner_, task.job, "compare", 0, 10);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_FALSE(rows[0].configuration.has_value());
  EXPECT_THAT(Finished(task), IsEmpty());
}

TEST_P(StoreConformanceTest, AComparisonThatIsLostEachTimeEndsAsInfrastructure) {
  const TaskId task = RunningTask(0);
  ASSERT_TRUE(store::AddComparison(*store_, owner_, task, Finalists()).ok());
  const SessionId session = Open("a");
  for (int i = 0; i < limits::kAttemptsWithoutReport; ++i) {
    EXPECT_EQ(*store_->ComparisonResult(owner_, task), std::nullopt);
    ClaimOne(session, "a", task);
    clock_.Advance(kLease);
    ASSERT_TRUE(store_->ExpireLeases().ok());
    ASSERT_TRUE(store::RenewSession(*store_, session, {}, kLease).ok());
  }
  const auto result = *store_->ComparisonResult(owner_, task);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->outcome, Outcome::kInfrastructure);
  EXPECT_THAT(result->message, HasSubstr("without a report"));
}

}  // namespace
}  // namespace burnish::store
