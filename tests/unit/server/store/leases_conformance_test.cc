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

TEST_P(StoreConformanceTest, AClaimGrantsTheOldestItemsWithWhatTheDeviceNeeds) {
  const TaskId task = RunningTask(3);
  const SessionId session = Open("a");
  const auto claimed = Claim(session, "a", task, 2);
  ASSERT_THAT(claimed, SizeIs(2));
  EXPECT_EQ(claimed[0].fence, Fence(1));
  EXPECT_EQ(claimed[0].device, DeviceId("a/cpu:0"));
  EXPECT_EQ(claimed[0].task, TaskHash("abc"));
  EXPECT_LT(claimed[0].work_item, claimed[1].work_item);
  const auto& work = std::get<work::MeasureWork>(claimed[1].work);
  // Names stay in their declared order.
  EXPECT_EQ(space::ToJson(work.configuration), space::ToJson(BlockOf(1)));
  EXPECT_EQ(*store_->RunningItems(owner_, task), 2);
  EXPECT_EQ(store_->GetJob(owner_, task.job)->tasks[0].device, DeviceId("a/cpu:0"));
  EXPECT_TRUE(IsCurrent(*store_, HeldOf(claimed[0])));
  EXPECT_EQ(store_->OpenTasks()->at(0).queued, 1);
}

TEST_P(StoreConformanceTest, AClaimSaysAgainstWhatATrialRaces) {
  const TaskId task = RunningTask(1);
  store::NewTrial racing{.number = TrialNumber(1), .index = 1, .configuration = BlockOf(1)};
  racing.incumbent = {.seconds = 1.25e-3, .device = DeviceId("a/cpu:0")};
  ASSERT_TRUE(store::AddTrials(*store_, owner_, task, {racing}).ok());
  const auto claimed = Claim(Open("a"), "a", task, 2);
  ASSERT_THAT(claimed, SizeIs(2));
  EXPECT_FALSE(std::get<work::MeasureWork>(claimed[0].work).incumbent.has_value());
  const auto& incumbent = std::get<work::MeasureWork>(claimed[1].work).incumbent;
  ASSERT_TRUE(incumbent.has_value());
  EXPECT_EQ(incumbent->seconds, 1.25e-3);
  EXPECT_EQ(incumbent->device, DeviceId("a/cpu:0"));
}

TEST_P(StoreConformanceTest, OnlyRunningTasksOfJobsThatAreNotPausedAreOpen) {
  const TaskId task = RunningTask(1);
  const SessionId session = Open("a");
  ASSERT_THAT(*store_->OpenTasks(), SizeIs(1));
  ASSERT_TRUE(store_->MoveJob(owner_, task.job, {State::kRunning}, State::kPaused, "").ok());
  EXPECT_THAT(*store_->OpenTasks(), IsEmpty());
  EXPECT_THAT(Claim(session, "a", task, 1), IsEmpty());
  ASSERT_TRUE(store_->MoveJob(owner_, task.job, {State::kPaused}, State::kRunning, "").ok());
  ASSERT_TRUE(store::MoveTask(*store_, owner_, task, {State::kRunning}, State::kDone, "").ok());
  EXPECT_THAT(*store_->OpenTasks(), IsEmpty());
  EXPECT_THAT(Claim(session, "a", task, 1), IsEmpty());
}

TEST_P(StoreConformanceTest, AnExpiredLeaseIsGrantedAgainWithAHigherFence) {
  const TaskId task = RunningTask(1);
  const SessionId session = Open("a");
  const auto first = ClaimOne(session, "a", task);
  clock_.Advance(kLease - absl::Nanoseconds(1));
  EXPECT_THAT(*store_->ExpireLeases(), IsEmpty());
  clock_.Advance(absl::Nanoseconds(1));
  const auto expired = *store_->ExpireLeases();
  ASSERT_THAT(expired, SizeIs(1));
  EXPECT_EQ(expired[0].attempt, first.attempt);
  EXPECT_EQ(expired[0].agent, AgentId("a"));
  EXPECT_EQ(expired[0].task, task);
  EXPECT_FALSE(IsCurrent(*store_, HeldOf(first)));
  EXPECT_EQ(*store_->RunningItems(owner_, task), 0);
  const auto second = ClaimOne(Open("b"), "b", task);
  EXPECT_EQ(second.work_item, first.work_item);
  EXPECT_EQ(second.fence, Fence(2));
  EXPECT_NE(second.attempt, first.attempt);
}

TEST_P(StoreConformanceTest, ARenewedLeaseLastsFromItsRenewal) {
  const TaskId task = RunningTask(2);
  const SessionId session = Open("a");
  const auto claimed = Claim(session, "a", task, 2);
  clock_.Advance(kLease / 4);
  EXPECT_THAT(*store::RenewSession(*store_, session, {HeldOf(claimed[0])}, kLease),
              ElementsAre(claimed[0].attempt));
  clock_.Advance(kLease * 7 / 8);
  const auto expired = *store_->ExpireLeases();
  ASSERT_THAT(expired, SizeIs(1));  // the one that the agent did not list
  EXPECT_EQ(expired[0].attempt, claimed[1].attempt);
  EXPECT_TRUE(IsCurrent(*store_, HeldOf(claimed[0])));
}

TEST_P(StoreConformanceTest, ALeaseThatNeverReachedItsAgentIsQueuedAgainUncounted) {
  const TaskId task = RunningTask(1);
  const SessionId session = Open("a");
  for (int i = 0; i < 2 * limits::kAttemptsWithoutReport; ++i) {
    const auto unheard = ClaimOne(session, "a", task);
    ASSERT_TRUE(store::RenewSession(*store_, session, {}, kLease).ok());
    EXPECT_TRUE(IsCurrent(*store_, HeldOf(unheard))) << "it may still be under way";
    clock_.Advance(kLease / 2);
    ASSERT_TRUE(store::RenewSession(*store_, session, {}, kLease).ok());
    EXPECT_FALSE(IsCurrent(*store_, HeldOf(unheard)));
  }
  EXPECT_THAT(Finished(task), IsEmpty());
}

TEST_P(StoreConformanceTest, OneCallRenewsManySessionsAndRefusesTheReplaced) {
  const TaskId task = RunningTask(2);
  const SessionId old_a = Open("a");
  const SessionId a = Open("a");
  const SessionId b = Open("b");
  const auto held = ClaimOne(a, "a", task);
  const auto renewed = *store_->RenewSessions(
      {{old_a, {}}, {a, {HeldOf(held)}}, {b, {HeldOf(held)}}, {SessionId("x"), {}}}, kLease);
  ASSERT_THAT(renewed, SizeIs(4));
  EXPECT_TRUE(absl::IsAborted(renewed[0].status())) << renewed[0].status();
  EXPECT_THAT(*renewed[1], ElementsAre(held.attempt));
  EXPECT_THAT(*renewed[2], IsEmpty()) << "it is not its own";
  EXPECT_TRUE(absl::IsNotFound(renewed[3].status()));
}

TEST_P(StoreConformanceTest, LeasesOfEndedTasksAndOfStaleFencesAreNotRenewed) {
  const TaskId task = RunningTask(1);
  const SessionId session = Open("a");
  const auto claimed = ClaimOne(session, "a", task);
  HeldAttempt stale = HeldOf(claimed);
  stale.fence = Fence(0);
  HeldAttempt forged = HeldOf(claimed);
  forged.attempt = AttemptId("a1.1.otherdb");
  EXPECT_THAT(*store::RenewSession(*store_, session, {stale, forged}, kLease), IsEmpty());
  ASSERT_TRUE(
      store::MoveTask(*store_, owner_, task, {State::kRunning}, State::kCancelled, "").ok());
  EXPECT_THAT(*store::RenewSession(*store_, session, {HeldOf(claimed)}, kLease), IsEmpty());
}

TEST_P(StoreConformanceTest, AnotherDeviceTakesOverOnlyWhenTheFirstIsLost) {
  const TaskId task = RunningTask(4);
  const SessionId a = Open("a");
  const auto held = ClaimOne(a, "a", task);
  const SessionId b = Open("b");
  EXPECT_THAT(Claim(b, "b", task, 1), IsEmpty());
  EXPECT_TRUE(store_->OpenTasks()->at(0).device_live);

  clock_.Advance(absl::Seconds(20));
  ASSERT_TRUE(store::RenewSession(*store_, b, {}, kLease).ok());
  clock_.Advance(absl::Seconds(15));  // `a` is silent for longer than the lease
  EXPECT_FALSE(store_->OpenTasks()->at(0).device_live);
  EXPECT_THAT(Claim(b, "b", task, 1), IsEmpty()) << "while the lost device's lease stands";
  ASSERT_THAT(*store_->ExpireLeases(), SizeIs(1));
  EXPECT_THAT(Claim(b, "b", task, 4), SizeIs(4));
  EXPECT_EQ(store_->GetJob(owner_, task.job)->tasks[0].device, DeviceId("b/cpu:0"));

  EXPECT_EQ(StoreResult(a, held, OkMeasurement()), ReportResult::kLate);
  ASSERT_TRUE(store::RenewSession(*store_, a, {}, kLease).ok());  // it comes back: `b` goes on
  EXPECT_THAT(Claim(a, "a", task, 1), IsEmpty());
}

TEST_P(StoreConformanceTest, ADeviceThatBecameUnavailableGivesItsTaskAway) {
  const TaskId task = RunningTask(2);
  const auto held = ClaimOne(Open("a"), "a", task);
  work::DeviceInfo broken = CpuDevice();
  broken.unavailable_reason = "no compiler";
  ASSERT_TRUE(store_->OpenSession(AgentId("a"), {broken}, {}, kLease).ok());
  EXPECT_FALSE(store_->OpenTasks()->at(0).device_live);
  EXPECT_THAT(Claim(Open("b"), "b", task, 2), SizeIs(2));
}

TEST_P(StoreConformanceTest, ASilentSessionAndADeviceOfAnotherAgentGetNothing) {
  const TaskId task = RunningTask(1);
  const SessionId a = Open("a");
  const SessionId b = Open("b");
  const auto foreign = store::Claim(*store_, a, DeviceId("b/cpu:0"), task, 1, kLease);
  EXPECT_TRUE(absl::IsFailedPrecondition(foreign.status()));
  clock_.Advance(kLease);
  EXPECT_THAT(Claim(a, "a", task, 1), IsEmpty());
  EXPECT_TRUE(absl::IsNotFound(
      store::Claim(*store_, SessionId("s99"), DeviceId("b/cpu:0"), task, 1, kLease).status()));
  ASSERT_TRUE(store::RenewSession(*store_, b, {}, kLease).ok());
  EXPECT_THAT(Claim(b, "b", task, 1), SizeIs(1));
}

TEST_P(StoreConformanceTest, ClaimsMadeTogetherEachGetTheirOwnAnswer) {
  const TaskId first = RunningTask(3);
  clock_.Advance(absl::Seconds(1));
  const TaskId second = RunningTask(3);
  const SessionId a = Open("a");
  const SessionId b = Open("b");
  const DeviceId device_a("a/cpu:0");
  const DeviceId device_b("b/cpu:0");
  const auto claimed = store_->Claim({{a, device_a, first, 2},
                                      {b, device_b, second, 4},
                                      {b, device_b, first, 4},
                                      {b, device_a, second, 1},
                                      {SessionId("s99"), device_a, first, 1},
                                      {a, device_a, TaskId{JobId(99), 1}, 1}},
                                     kLease);
  ASSERT_TRUE(claimed.ok()) << claimed.status();
  ASSERT_THAT(*claimed, SizeIs(6));
  ASSERT_TRUE(claimed->at(0).ok() && claimed->at(1).ok());
  ASSERT_THAT(*claimed->at(0), SizeIs(2));
  EXPECT_EQ(claimed->at(0)->front().assignment.device, device_a);
  EXPECT_LT(claimed->at(0)->at(0).assignment.work_item, claimed->at(0)->at(1).assignment.work_item);
  EXPECT_EQ(claimed->at(0)->front().queued, clock_.Now() - absl::Seconds(1));
  EXPECT_THAT(*claimed->at(1), SizeIs(3));
  EXPECT_EQ(claimed->at(1)->front().queued, clock_.Now());
  EXPECT_THAT(*claimed->at(2), IsEmpty()) << "a task that an earlier one names";
  EXPECT_TRUE(absl::IsFailedPrecondition(claimed->at(3).status()));
  EXPECT_TRUE(absl::IsNotFound(claimed->at(4).status()));
  EXPECT_TRUE(absl::IsNotFound(claimed->at(5).status()));
  EXPECT_EQ(*store_->RunningItems(owner_, first), 2);
  EXPECT_EQ(*store_->RunningItems(owner_, second), 3);
}

TEST_P(StoreConformanceTest, TrialsOfSeveralTasksAreAddedTogether) {
  const TaskId mine = RunningTask(1);
  const TaskId foreign = RunningTask(0);
  const Fence fence = FenceOf(*store_, mine.job);
  const auto added = store_->AddTrials({{owner_, mine, fence, {TrialOf(0), TrialOf(1)}},
                                        {owner_, foreign, Fence(99), {TrialOf(0)}},
                                        {owner_, TaskId{mine.job, 7}, fence, {TrialOf(0)}}});
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_TRUE(added->at(0).ok());
  EXPECT_TRUE(absl::IsAborted(added->at(1)));
  EXPECT_TRUE(absl::IsNotFound(added->at(2)));
  EXPECT_THAT(*store_->Trials(owner_, mine), SizeIs(2)) << "number 0 was there already";
  EXPECT_THAT(*store_->Trials(owner_, foreign), IsEmpty());
}

TEST_P(StoreConformanceTest, FinishedTrialsAreOfOneTaskAndFromThePositionOn) {
  const SessionId session = Open("a");
  const TaskId first = RunningTask(3);
  const TaskId second = RunningTask(2);
  for (const TaskId& task : {first, second}) {
    for (const auto& one : Claim(session, "a", task, 3)) StoreResult(session, one, OkMeasurement());
  }
  EXPECT_THAT(Finished(first, 1), SizeIs(2));
  EXPECT_THAT(Finished(first, 3), IsEmpty());
  EXPECT_THAT(Finished(second), SizeIs(2));
}

TEST_P(StoreConformanceTest, ANewSessionKeepsWhatItListsAndQueuesTheRest) {
  const TaskId task = RunningTask(2);
  const SessionId old_session = Open("a");
  const auto claimed = Claim(old_session, "a", task, 2);
  clock_.Advance(absl::Seconds(29));
  HeldAttempt forged = HeldOf(claimed[1]);
  forged.attempt = AttemptId("a2.1.otherdb");
  const auto opened =
      store_->OpenSession(AgentId("a"), {CpuDevice()}, {HeldOf(claimed[0]), forged}, kLease);
  ASSERT_TRUE(opened.ok()) << opened.status();
  ASSERT_THAT(opened->kept, SizeIs(1));
  EXPECT_EQ(opened->kept[0].held.attempt, claimed[0].attempt);
  EXPECT_EQ(opened->kept[0].device, DeviceId("a/cpu:0"));
  EXPECT_EQ(*store_->RunningItems(owner_, task), 1);

  EXPECT_TRUE(absl::IsAborted(store::RenewSession(*store_, old_session, {}, kLease).status()));
  EXPECT_TRUE(absl::IsNotFound(
      store::Claim(*store_, old_session, DeviceId("a/cpu:0"), task, 1, kLease).status()));
  clock_.Advance(absl::Seconds(29));  // renewed by the new session
  EXPECT_THAT(*store_->ExpireLeases(), IsEmpty());
  EXPECT_EQ(StoreResult(opened->session, claimed[0], OkMeasurement()), ReportResult::kStored);
}

TEST_P(StoreConformanceTest, AnAgentThatComesBackKeepsAnExpiredLeaseThatNobodyElseWasGranted) {
  const TaskId task = RunningTask(2);
  const auto claimed = Claim(Open("a"), "a", task, 2);
  clock_.Advance(kLease);
  ASSERT_THAT(*store_->ExpireLeases(), SizeIs(2));
  const auto taken = ClaimOne(Open("b"), "b", task);
  ASSERT_EQ(taken.work_item, claimed[0].work_item);
  const auto back = store_->OpenSession(AgentId("a"), {CpuDevice()},
                                        {HeldOf(claimed[0]), HeldOf(claimed[1])}, kLease);
  ASSERT_THAT(back->kept, SizeIs(1));
  EXPECT_EQ(back->kept[0].held.attempt, claimed[1].attempt);
  EXPECT_EQ(back->kept[0].device, DeviceId("a/cpu:0"));
  EXPECT_TRUE(IsCurrent(*store_, HeldOf(claimed[1])));
  EXPECT_TRUE(IsCurrent(*store_, HeldOf(taken)));
  const auto thief = store_->OpenSession(AgentId("c"), {CpuDevice()}, {HeldOf(claimed[1])}, kLease);
  EXPECT_THAT(thief->kept, IsEmpty()) << "it was granted to another agent";
}

TEST_P(StoreConformanceTest, ALeaseOfADeviceThatIsGoneIsNotKept) {
  const TaskId task = RunningTask(1);
  const auto held = ClaimOne(Open("a"), "a", task);
  const auto opened = store_->OpenSession(AgentId("a"), {CpuDevice(1)}, {HeldOf(held)}, kLease);
  EXPECT_THAT(opened->kept, IsEmpty());
  EXPECT_EQ(*store_->RunningItems(owner_, task), 0);
  const auto devices = *store_->Devices();
  ASSERT_THAT(devices, SizeIs(2));
  EXPECT_FALSE(devices[0].live);
  EXPECT_TRUE(devices[1].live);
}

TEST_P(StoreConformanceTest, AGoodbyeQueuesLeasesAgainWithoutCountingThem) {
  const TaskId task = RunningTask(1);
  for (int i = 0; i < 2 * limits::kAttemptsWithoutReport; ++i) {
    const SessionId session = Open("a");
    ClaimOne(session, "a", task);
    EXPECT_TRUE(store_->CloseSession(session).ok());
    EXPECT_FALSE(store_->Devices()->at(0).live);
    EXPECT_TRUE(absl::IsNotFound(store::RenewSession(*store_, session, {}, kLease).status()));
  }
  EXPECT_THAT(Finished(task), IsEmpty());
  EXPECT_TRUE(store_->CloseSession(Open("a")).ok());
  EXPECT_TRUE(absl::IsNotFound(store_->CloseSession(SessionId("nobody"))));
}

TEST_P(StoreConformanceTest, ACandidateWhoseLeasesAreLostThreeTimesEndsAsInfrastructure) {
  const TaskId task = RunningTask(2);
  const SessionId session = Open("a");
  for (int i = 0; i < limits::kAttemptsWithoutReport; ++i) {
    EXPECT_THAT(Finished(task), IsEmpty());
    ClaimOne(session, "a", task);
    clock_.Advance(kLease);
    EXPECT_THAT(*store_->ExpireLeases(), SizeIs(1));
    ASSERT_TRUE(store::RenewSession(*store_, session, {}, kLease).ok());
  }
  const auto finished = Finished(task);
  ASSERT_THAT(finished, SizeIs(1));
  EXPECT_EQ(finished[0].what.number, TrialNumber(0));
  EXPECT_EQ(finished[0].outcome, Outcome::kInfrastructure);
  EXPECT_THAT(finished[0].message, HasSubstr("without a report"));
  EXPECT_FALSE(finished[0].latency.has_value());
  const auto next = ClaimOne(session, "a", task);  // the next trial is not held up
  EXPECT_EQ(StoreResult(session, next, OkMeasurement()), ReportResult::kStored);
}

TEST_P(StoreConformanceTest, ACandidateThatKillsItsAgentEachTimeComesToAnEnd) {
  const TaskId task = RunningTask(1);
  for (int i = 0; i < limits::kAttemptsWithoutReport; ++i) {
    ClaimOne(Open("a"), "a", task);
  }
  Open("a");
  ASSERT_THAT(Finished(task), SizeIs(1));
  EXPECT_EQ(Finished(task)[0].outcome, Outcome::kInfrastructure);
}

TEST_P(StoreConformanceTest, DevicesSayWhetherTheirSessionIsLive) {
  const SessionId session = Open("a");
  clock_.Advance(absl::Seconds(10));
  ASSERT_TRUE(store::RenewSession(*store_, session, {}, kLease).ok());
  const absl::Time seen = clock_.Now();
  clock_.Advance(kLease - absl::Seconds(1));
  DeviceRow row = store_->Devices()->at(0);
  EXPECT_TRUE(row.live);
  EXPECT_EQ(row.last_seen, seen);
  EXPECT_EQ(row.session, session);
  EXPECT_EQ(row.device.id, DeviceId("a/cpu:0"));
  EXPECT_EQ(row.device.agent, AgentId("a"));
  EXPECT_EQ(row.device.info.labels, CpuDevice().labels);
  EXPECT_EQ(row.device.info.environment, CpuDevice().environment);
  clock_.Advance(absl::Seconds(1));
  EXPECT_FALSE(store_->Devices()->at(0).live);
}

}  // namespace
}  // namespace burnish::store
