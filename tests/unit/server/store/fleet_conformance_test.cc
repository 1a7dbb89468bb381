#include "common/base/limits.h"
#include "tests/unit/server/store/store_conformance.h"

namespace burnish::store {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using work::Outcome;

const DeviceId kDevice("a/cpu:0");

TEST_P(StoreConformanceTest, ADrainedDeviceGetsNothingAndKeepsWhatItHas) {
  const TaskId task = RunningTask(3);
  const SessionId session = Open("a");
  const auto held = ClaimOne(session, "a", task);
  ASSERT_TRUE(store_->SetStanding("a", Standing::kDraining, "new memory", "anna").ok());
  EXPECT_THAT(Claim(session, "a", task, 1), IsEmpty());
  EXPECT_FALSE(store_->OpenTasks()->at(0).device_live);
  EXPECT_TRUE(IsCurrent(*store_, HeldOf(held)));
  const auto standings = *store_->Standings();
  ASSERT_THAT(standings, SizeIs(1));
  EXPECT_EQ(standings[0].device, kDevice);
  EXPECT_EQ(standings[0].standing, Standing::kDraining);
  EXPECT_EQ(standings[0].reason, "new memory");
  EXPECT_EQ(standings[0].by, "anna");
  const DeviceRow row = store_->Devices()->at(0);
  EXPECT_EQ(row.standing.standing, Standing::kDraining);
  EXPECT_EQ(row.leased, 1);

  const SessionId again = Open("a", {HeldOf(held)});  // the decision outlives the session
  EXPECT_THAT(Claim(again, "a", task, 1), IsEmpty());
  ASSERT_TRUE(store_->SetStanding(kDevice.value(), Standing::kActive, "", "anna").ok());
  EXPECT_THAT(Claim(again, "a", task, 1), SizeIs(1));
  EXPECT_TRUE(absl::IsNotFound(store_->SetStanding("b", Standing::kDraining, "", "")));
}

TEST_P(StoreConformanceTest, RoofsAreKeptForAsLongAsTheDeviceIsOfItsClass) {
  work::Roofs roofs;
  roofs.peaks = {{"f32", 1, 1.5e11}, {"f32", 2, 2.9e11}};
  roofs.bandwidths = {{"L1", 32768, 1, 2e11}, {"memory", int64_t{1} << 35, 2, 3e10}};
  work::DeviceInfo device = CpuDevice();
  device.caches = {.l1d_bytes = 32768, .l2_bytes = 1 << 20, .l3_bytes = 1 << 25};
  device.roofs.absence = "they are being measured";
  const auto open = [&] {
    return store_->OpenSession(AgentId("a"), {device}, {}, kLease)->session;
  };
  const auto stored = [&] { return store_->Devices()->at(0).device.info.roofs; };
  SessionId session = open();
  EXPECT_EQ(stored(), device.roofs);
  EXPECT_EQ(store_->Devices()->at(0).device.info.caches, device.caches);
  ASSERT_TRUE(store_->RecordRoofs(session, kDevice, roofs).ok());
  EXPECT_EQ(stored(), roofs);
  EXPECT_TRUE(absl::IsInvalidArgument(store_->RecordRoofs(session, DeviceId("b/cpu:0"), roofs)));

  session = open();  // does not know them
  EXPECT_EQ(stored(), roofs);
  ASSERT_TRUE(store_->RecordRoofs(session, kDevice, {.absence = "measuring failed"}).ok());
  EXPECT_EQ(stored(), roofs);
  device.roofs = roofs;
  device.roofs.peaks.pop_back();
  open();  // knows others
  EXPECT_EQ(stored(), device.roofs);

  device.roofs = {.absence = "never"};
  device.device_class = "another processor";
  open();
  EXPECT_EQ(stored(), device.roofs);
}

TEST_P(StoreConformanceTest, FailuresInARowQuarantineADeviceUntilItsCanaryPasses) {
  const TaskId task = RunningTask(20);
  const SessionId session = Open("a");
  const auto fail = [&] {
    StoreResult(session, ClaimOne(session, "a", task),
                FailedMeasurement(Outcome::kInfrastructure, "no driver"));
  };
  for (int i = 1; i < limits::kFailuresBeforeQuarantine; ++i) fail();
  StoreResult(session, ClaimOne(session, "a", task), OkMeasurement());
  for (int i = 1; i < limits::kFailuresBeforeQuarantine; ++i) fail();
  EXPECT_THAT(*store_->Standings(), IsEmpty()) << "one good one in between";
  fail();
  ASSERT_THAT(*store_->Standings(), SizeIs(1));
  EXPECT_EQ(store_->Standings()->at(0).standing, Standing::kQuarantined);
  EXPECT_THAT(store_->Standings()->at(0).reason, HasSubstr("in a row"));
  EXPECT_THAT(Claim(session, "a", task, 1), IsEmpty());

  ASSERT_TRUE(store_
                  ->RecordCanary(session, kDevice,
                                 FailedMeasurement(Outcome::kWrongResult, "c[0]: 1, expected 2"))
                  .ok());
  EXPECT_THAT(*store_->Standings(), SizeIs(1));
  ASSERT_TRUE(store_->RecordCanary(session, kDevice, OkMeasurement(2e-4)).ok());
  EXPECT_THAT(*store_->Standings(), IsEmpty());
  EXPECT_EQ(store_->Devices()->at(0).control_seconds, 2e-4);
  EXPECT_THAT(Claim(session, "a", task, 1), SizeIs(1));
}

TEST_P(StoreConformanceTest, AFailedCanaryQuarantinesAndAPersonsDecisionStands) {
  const SessionId session = Open("a");
  const auto broken = FailedMeasurement(Outcome::kCrash, "signal 11");
  ASSERT_TRUE(store_->RecordCanary(session, kDevice, broken).ok());
  EXPECT_THAT(store_->Standings()->at(0).reason, HasSubstr("canary failed: crash"));
  ASSERT_TRUE(store_->SetStanding("a", Standing::kQuarantined, "smells", "anna").ok());
  ASSERT_TRUE(store_->RecordCanary(session, kDevice, OkMeasurement()).ok());
  ASSERT_THAT(*store_->Standings(), SizeIs(1));
  ASSERT_TRUE(store_->RecordCanary(session, kDevice, broken).ok());
  EXPECT_EQ(store_->Standings()->at(0).reason, "smells");
  EXPECT_TRUE(
      absl::IsInvalidArgument(store_->RecordCanary(session, DeviceId("b/cpu:0"), OkMeasurement())));
}

TEST_P(StoreConformanceTest, DevicesWhoseControlTimesAreKnownShareATask) {
  const TaskId task = RunningTask(6);
  const SessionId a = Open("a");
  const SessionId b = Open("b");
  ClaimOne(a, "a", task);
  ASSERT_TRUE(store_->RecordCanary(a, kDevice, OkMeasurement(1e-4)).ok());
  EXPECT_THAT(Claim(b, "b", task, 1), IsEmpty()) << "nothing tells how b compares";
  ASSERT_TRUE(store_->RecordCanary(b, DeviceId("b/cpu:0"), OkMeasurement(2e-4)).ok());
  const auto shared = ClaimOne(b, "b", task);
  EXPECT_EQ(store_->GetJob(owner_, task.job)->tasks[0].devices_serving, 2);
  work::Measurement measured = OkMeasurement();
  measured.control_seconds = 2.5e-4;
  StoreResult(b, shared, measured);
  const Trial trial = Finished(task).at(0);
  EXPECT_EQ(trial.device, DeviceId("b/cpu:0"));
  EXPECT_EQ(trial.control_seconds, 2.5e-4);
}

TEST_P(StoreConformanceTest, NamespacesAreChargedForTheirDeviceSecondsWhichFade) {
  const TaskId task = RunningTask(3);
  const SessionId session = Open("a");
  work::Measurement measured = OkMeasurement();
  measured.run_seconds = 3;
  StoreResult(session, ClaimOne(session, "a", task), measured);
  measured.run_seconds = 0;
  StoreResult(session, ClaimOne(session, "a", task), measured);
  ClaimOne(session, "a", task);
  Share share = store_->Shares()->at(0);
  EXPECT_EQ(share.owner, owner_);
  EXPECT_EQ(share.weight, 1);
  EXPECT_THAT(share.device_seconds, DoubleNear(3 + kLeastChargeSeconds, 1e-9));
  EXPECT_THAT(share.mean_seconds, DoubleNear((3 + kLeastChargeSeconds) / 2, 1e-9));
  EXPECT_EQ(share.leased, 1);

  clock_.Advance(kShareHalfLife);
  ASSERT_TRUE(store_->SetWeight(owner_, 2.5).ok());
  share = store_->Shares()->at(0);
  EXPECT_THAT(share.device_seconds, DoubleNear((3 + kLeastChargeSeconds) / 2, 1e-9));
  EXPECT_EQ(share.weight, 2.5);
}

TEST_P(StoreConformanceTest, PriorityAndTheNumberOfActiveJobsAreKept) {
  NewJob job = JobOf("r");
  job.priority = -3;
  const JobId id = store_->CreateJob(owner_, job)->first;
  EXPECT_EQ(store_->GetJob(owner_, id)->job.priority, -3);
  EXPECT_EQ(*store_->CountActiveJobs(owner_), 1);
  EXPECT_EQ(*store_->CountActiveJobs(Namespace("others")), 0);
  ASSERT_TRUE(store_->CancelJob(owner_, id, "").ok());
  EXPECT_EQ(*store_->CountActiveJobs(owner_), 0);
}

}  // namespace
}  // namespace burnish::store
