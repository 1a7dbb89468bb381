#include "server/dispatch/dispatcher.h"

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/limits.h"
#include "common/spec/job_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/store/sqlite/sqlite_store.h"
#include "tests/unit/server/store/store_steps.h"

namespace burnish::dispatch {
namespace {

using store::HeldAttempt;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kJobText = R"(
name: add
kernel:
  language: cpp
  source: {file: add.cpp}
  entry: add
  arguments:
    - {name: a, dtype: f32, shape: [16], role: output}
  parameters:
    BLOCK: [1, 2, 4, 8]
  reference: none
budget: {trials: 4}
)";

// Keeps what it was told to send, in order.
class RecordingConnection : public AgentConnection {
 public:
  void SendTask(const TaskHash& hash, const work::TaskDefinition& definition) override {
    sent.push_back(absl::StrCat("task ", hash.value(), " ", definition.stages.at(0).entry));
  }
  void SendAssignment(const work::Assignment& assignment) override {
    sent.push_back(absl::StrCat("assignment of ", assignment.task.value()));
    assignments.push_back(assignment);
  }
  void SendRevoke(const AttemptId& attempt) override { revoked.push_back(attempt); }
  void SendCanaryRequest(const DeviceId& device) override { canaries.push_back(device); }
  void Close(const absl::Status& reason) override { closed = reason; }

  std::vector<std::string> sent;
  std::vector<work::Assignment> assignments;
  std::vector<AttemptId> revoked;
  std::vector<DeviceId> canaries;
  absl::Status closed;
};

HeldAttempt HeldOf(const work::Assignment& assignment) {
  return {assignment.attempt, assignment.work_item, assignment.fence};
}

work::DeviceInfo Cpu(int index = 0) {
  return {.backend = "cpu", .index = index, .device_class = "class", .languages = {"cpp"}};
}

class DispatcherTest : public testing::Test {
 protected:
  TaskId RunningTask(int64_t trials, const std::string& selector = "backend == 'cpu'",
                     const std::string& text = kJobText) {
    const std::string hash = absl::StrCat("hash", ++tasks_);
    const JobId job = store_
                          ->CreateJob(owner_, {.file_name = "job.yaml",
                                               .text = text,
                                               .files = {{"add.cpp", "void add(float* a) {}"}},
                                               .tasks = {{.device_class = "class",
                                                          .selector = selector,
                                                          .hash = TaskHash(hash)}}})
                          ->first;
    const TaskId task{job, 1};
    EXPECT_TRUE(
        store_->MoveJob(owner_, job, {store::State::kQueued}, store::State::kRunning, "").ok());
    EXPECT_TRUE(
        store::MoveTask(*store_, owner_, task, {store::State::kQueued}, store::State::kRunning)
            .ok());
    std::vector<store::NewTrial> added;
    for (int64_t i = 0; i < trials; ++i) {
      added.push_back({.number = TrialNumber(i), .configuration = {{"BLOCK", i}}});
    }
    EXPECT_TRUE(store::AddTrials(*store_, owner_, task, added).ok());
    return task;
  }

  struct Attached {
    std::shared_ptr<RecordingConnection> connection = std::make_shared<RecordingConnection>();
    Welcome welcome;
    const SessionId& session() const { return welcome.session; }
  };

  Attached Attach(const std::string& agent, std::vector<work::DeviceInfo> devices = {Cpu()},
                  std::vector<HeldAttempt> holding = {}, int prefetch = 4) {
    Attached attached;
    auto welcome = dispatcher_.Attach(attached.connection, {.agent = AgentId(agent),
                                                            .devices = std::move(devices),
                                                            .holding = std::move(holding),
                                                            .prefetch = prefetch});
    EXPECT_TRUE(welcome.ok()) << welcome.status();
    attached.welcome = *std::move(welcome);
    return attached;
  }

  void Advance() {
    const absl::Status status = dispatcher_.Advance();
    EXPECT_TRUE(status.ok()) << status;
  }

  work::ReportResult Report(const Attached& agent, const work::Assignment& assignment) {
    return ReportTo(dispatcher_, agent.session(), assignment);
  }
  static work::ReportResult ReportTo(Dispatcher& dispatcher, const SessionId& session,
                                     const work::Assignment& assignment) {
    const auto results =
        dispatcher.Reports({{session,
                             {assignment.attempt, assignment.work_item, assignment.fence,
                              work::Measurement{.outcome = work::Outcome::kOk}}}});
    EXPECT_TRUE(results.ok()) << results.status();
    return *results->at(0);
  }
  absl::StatusOr<std::vector<AttemptId>> Heartbeat(const SessionId& session,
                                                   const std::vector<HeldAttempt>& holding) {
    const auto renewed = dispatcher_.Heartbeats({{session, holding}});
    EXPECT_TRUE(renewed.ok()) << renewed.status();
    return renewed->at(0);
  }

  // The tasks of a connection's assignments, as they came.
  static std::vector<std::string> TasksOf(const Attached& agent) {
    std::vector<std::string> tasks;
    for (const work::Assignment& one : agent.connection->assignments) {
      tasks.push_back(one.task.value());
    }
    return tasks;
  }

  const Namespace owner_{"lab"};
  SimulatedClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  std::unique_ptr<store::Store> store_ = *store::OpenSqliteStore(":memory:", clock_);
  Dispatcher dispatcher_{*store_, {}};
  int tasks_ = 0;
};

TEST_F(DispatcherTest, ATaskGoesToAnAgentOnceBeforeItsAssignments) {
  RunningTask(3);
  const Attached agent = Attach("a", {Cpu()}, {}, 2);
  EXPECT_EQ(agent.welcome.lease, absl::Seconds(30));
  EXPECT_EQ(agent.welcome.heartbeat_interval, absl::Seconds(5));
  Advance();
  EXPECT_THAT(agent.connection->sent,
              ElementsAre("task hash1 add", "assignment of hash1", "assignment of hash1"));
  EXPECT_EQ(Report(agent, agent.connection->assignments[0]), work::ReportResult::kStored);
  Advance();
  EXPECT_THAT(agent.connection->sent, SizeIs(4));
  EXPECT_EQ(agent.connection->sent.back(), "assignment of hash1");
}

TEST_F(DispatcherTest, ADeviceHoldsNoMoreLeasesThanItsPrefetch) {
  RunningTask(9);
  const Attached agent = Attach("a", {Cpu()}, {}, 2);
  Advance();
  Advance();
  ASSERT_THAT(agent.connection->assignments, SizeIs(2));
  Report(agent, agent.connection->assignments[0]);
  Report(agent, agent.connection->assignments[0]);  // a duplicate frees nothing twice
  Advance();
  EXPECT_THAT(agent.connection->assignments, SizeIs(3));
}

TEST_F(DispatcherTest, OnlyADeviceThatCanRunTheTaskGetsIt) {
  RunningTask(1, "label.rack == 'r1'");
  work::DeviceInfo other_class = Cpu(0);
  other_class.device_class = "other";
  work::DeviceInfo other_language = Cpu(1);
  other_language.languages = {"opencl"};
  work::DeviceInfo unavailable = Cpu(2);
  unavailable.unavailable_reason = "no compiler";
  const work::DeviceInfo other_rack = Cpu(3);
  work::DeviceInfo right = Cpu(4);
  for (work::DeviceInfo* device : {&other_class, &other_language, &unavailable, &right}) {
    device->labels["rack"] = "r1";
  }
  const Attached wrong = Attach("wrong", {other_class, other_language, unavailable, other_rack});
  Advance();
  EXPECT_THAT(wrong.connection->sent, IsEmpty());
  const Attached agent = Attach("right", {right});
  Advance();
  ASSERT_THAT(agent.connection->assignments, SizeIs(1));
  EXPECT_EQ(agent.connection->assignments[0].device, DeviceId("right/cpu:4"));
}

TEST_F(DispatcherTest, AJobThatNoLongerReadsIsSkippedAndHoldsUpNoOther) {
  RunningTask(1, "true", "name: [");
  RunningTask(1);
  const Attached agent = Attach("a");
  Advance();
  EXPECT_THAT(TasksOf(agent), ElementsAre("hash2"));
}

TEST_F(DispatcherTest, TasksTakeTurns) {
  RunningTask(6);
  RunningTask(6);
  const Attached agent = Attach("a", {Cpu()}, {}, 2);
  Advance();
  EXPECT_THAT(TasksOf(agent), ElementsAre("hash1", "hash2"));
  // With one slot at a time free the turn goes on where it stood.
  for (int i = 0; i < 4; ++i) {
    Report(agent, agent.connection->assignments[i]);
    Advance();
  }
  EXPECT_THAT(TasksOf(agent), ElementsAre("hash1", "hash2", "hash2", "hash1", "hash2", "hash1"));
}

TEST_F(DispatcherTest, EachTaskHasOneDeviceAndTasksSpreadOverDevices) {
  RunningTask(6);
  RunningTask(6);
  const Attached agent = Attach("a", {Cpu(0), Cpu(1)}, {}, 2);
  Advance();
  Advance();
  std::map<std::string, std::set<DeviceId>> devices;
  for (const auto& one : agent.connection->assignments) {
    devices[one.task.value()].insert(one.device);
  }
  EXPECT_THAT(agent.connection->assignments, SizeIs(4));
  EXPECT_THAT(devices["hash1"], ElementsAre(DeviceId("a/cpu:0")));
  EXPECT_THAT(devices["hash2"], ElementsAre(DeviceId("a/cpu:1")));
}

TEST_F(DispatcherTest, AnotherAgentTakesOverATaskWhoseAgentIsLost) {
  RunningTask(2);
  const Attached first = Attach("a");
  Advance();
  ASSERT_THAT(first.connection->assignments, SizeIs(2));
  const Attached second = Attach("b");
  clock_.Advance(absl::Seconds(20));
  ASSERT_TRUE(Heartbeat(second.session(), {}).ok());
  Advance();
  EXPECT_THAT(second.connection->assignments, IsEmpty());
  clock_.Advance(absl::Seconds(10));
  Advance();
  EXPECT_THAT(second.connection->assignments, SizeIs(2));
  EXPECT_THAT(first.connection->revoked, SizeIs(2));
  EXPECT_EQ(Report(first, first.connection->assignments[0]), work::ReportResult::kLate);
}

TEST_F(DispatcherTest, AHeartbeatRenewsAndRevokesWhatIsNoLongerGranted) {
  const TaskId task = RunningTask(2);
  const Attached agent = Attach("a");
  Advance();
  const auto& assignments = agent.connection->assignments;
  ASSERT_THAT(assignments, SizeIs(2));
  EXPECT_THAT(*Heartbeat(agent.session(), {HeldOf(assignments[0])}),
              ElementsAre(assignments[0].attempt));
  EXPECT_THAT(agent.connection->revoked, IsEmpty());
  ASSERT_TRUE(
      store::MoveTask(*store_, owner_, task, {store::State::kRunning}, store::State::kCancelled, "")
          .ok());
  EXPECT_THAT(*Heartbeat(agent.session(), {HeldOf(assignments[0])}), IsEmpty());
  EXPECT_THAT(agent.connection->revoked, ElementsAre(assignments[0].attempt));
}

TEST_F(DispatcherTest, AnAssignmentThatNeverArrivedIsGrantedAgainWithinItsLease) {
  RunningTask(1);
  const Attached agent = Attach("a", {Cpu()}, {}, 1);
  Advance();
  ASSERT_THAT(agent.connection->assignments, SizeIs(1));
  for (int i = 0; i < 3; ++i) {
    clock_.Advance(absl::Seconds(5));
    ASSERT_TRUE(Heartbeat(agent.session(), {}).ok());
    Advance();
  }
  ASSERT_THAT(agent.connection->assignments, SizeIs(2));
  EXPECT_EQ(agent.connection->assignments[1].fence, Fence(2));
}

TEST_F(DispatcherTest, ANewConnectionOfAnAgentReplacesTheOlderAndKeepsItsLeases) {
  RunningTask(4);
  const Attached old_connection = Attach("a", {Cpu()}, {}, 2);
  Advance();
  const auto& held = old_connection.connection->assignments;
  ASSERT_THAT(held, SizeIs(2));
  const Attached agent = Attach("a", {Cpu()}, {HeldOf(held[0])}, 2);
  EXPECT_TRUE(absl::IsAborted(old_connection.connection->closed));
  EXPECT_THAT(std::string(old_connection.connection->closed.message()),
              HasSubstr("newer session took over"));
  ASSERT_THAT(agent.welcome.keep, SizeIs(1));
  EXPECT_EQ(agent.welcome.keep[0].attempt, held[0].attempt);
  EXPECT_TRUE(absl::IsAborted(Heartbeat(old_connection.session(), {}).status()));
  Advance();
  EXPECT_THAT(agent.connection->sent, SizeIs(2)) << "the task anew, and one free slot";
  dispatcher_.Detach(old_connection.session(), true);  // comes late, changes nothing
  EXPECT_TRUE(Heartbeat(agent.session(), {}).ok());
}

TEST_F(DispatcherTest, AGoodbyeQueuesLeasesAtOnceAndABrokenStreamDoesNot) {
  RunningTask(1);
  const Attached broken = Attach("a");
  Advance();
  dispatcher_.Detach(broken.session(), false);
  const Attached other = Attach("b");
  Advance();
  EXPECT_THAT(other.connection->assignments, IsEmpty());
  const Attached again = Attach("a", {Cpu()}, {HeldOf(broken.connection->assignments[0])});
  ASSERT_THAT(again.welcome.keep, SizeIs(1));
  dispatcher_.Detach(again.session(), true);
  Advance();
  EXPECT_THAT(other.connection->assignments, SizeIs(1));
}

TEST_F(DispatcherTest, ANewServerOnTheSameStoreGoesOnWithTheLeasesThatAgentsHold) {
  RunningTask(2);
  const Attached before = Attach("a", {Cpu()}, {}, 1);
  Advance();
  const work::Assignment held = before.connection->assignments.at(0);
  Dispatcher restarted(*store_, {});
  auto connection = std::make_shared<RecordingConnection>();
  const auto welcome = restarted.Attach(
      connection,
      {.agent = AgentId("a"), .devices = {Cpu()}, .holding = {HeldOf(held)}, .prefetch = 1});
  ASSERT_THAT(welcome->keep, SizeIs(1));
  ASSERT_TRUE(restarted.Advance().ok());
  EXPECT_THAT(connection->assignments, IsEmpty()) << "its one slot is taken";
  EXPECT_EQ(ReportTo(restarted, welcome->session, held), work::ReportResult::kStored);
}

TEST_F(DispatcherTest, WhatRunsForACancelledJobIsRevokedInARound) {
  const TaskId task = RunningTask(3);
  const Attached agent = Attach("a", {Cpu()}, {}, 2);
  Advance();
  ASSERT_THAT(agent.connection->assignments, SizeIs(2));
  ASSERT_TRUE(store_->CancelJob(owner_, task.job, "cancelled").ok());
  clock_.Advance(absl::Seconds(1));
  Advance();
  EXPECT_THAT(agent.connection->revoked, SizeIs(2));
  EXPECT_THAT(agent.connection->assignments, SizeIs(2)) << "nothing more is granted";
}

TEST_F(DispatcherTest, ADeviceInQuarantineIsAskedForCanariesUntilOnePasses) {
  RunningTask(3);
  const Attached agent = Attach("a", {Cpu()}, {}, 2);
  const work::Measurement broken{.outcome = work::Outcome::kCrash, .message = "signal 11"};
  ASSERT_TRUE(dispatcher_.Canary(agent.session(), DeviceId("a/cpu:0"), broken).ok());
  Advance();
  Advance();
  EXPECT_THAT(agent.connection->canaries, SizeIs(1));
  EXPECT_THAT(agent.connection->assignments, IsEmpty());
  clock_.Advance(absl::Seconds(29));
  Advance();
  EXPECT_THAT(agent.connection->canaries, SizeIs(1));
  clock_.Advance(absl::Seconds(1));
  ASSERT_TRUE(Heartbeat(agent.session(), {}).ok());
  Advance();
  EXPECT_THAT(agent.connection->canaries, SizeIs(2));
  const work::Measurement fine{.outcome = work::Outcome::kOk,
                               .latency = work::Latency{.seconds = 1}};
  ASSERT_TRUE(dispatcher_.Canary(agent.session(), DeviceId("a/cpu:0"), fine).ok());
  Advance();
  EXPECT_THAT(agent.connection->assignments, SizeIs(2));
}

TEST_F(DispatcherTest, BadHellosAreRefusedAndLeaveNoTrace) {
  const AgentHello good{.agent = AgentId("a"), .devices = {Cpu()}, .holding = {}, .prefetch = 4};
  std::vector<AgentHello> bad(8, good);
  bad[0].agent = AgentId("");
  bad[1].agent = AgentId("a/b");
  bad[2].agent = AgentId(std::string(limits::kAgentIdBytes + 1, 'a'));
  bad[3].prefetch = 0;
  bad[4].prefetch = limits::kLeasesPerDevice + 1;
  bad[5].devices.push_back(Cpu());
  bad[6].devices[0].backend = "";
  bad[7].devices.assign(limits::kDevicesPerAgent + 1, Cpu());
  for (const AgentHello& hello : bad) {
    const auto welcome = dispatcher_.Attach(std::make_shared<RecordingConnection>(), hello);
    EXPECT_TRUE(absl::IsInvalidArgument(welcome.status())) << welcome.status();
  }
  EXPECT_THAT(*store_->Devices(), IsEmpty());
}

TEST_F(DispatcherTest, LatencyCountsFromWhenItemAndSlotWereThere) {
  telemetry::Metrics metrics;
  Dispatcher dispatcher(*store_, {},
                        {.latency = metrics.NewHistogram(telemetry::kDispatchLatency),
                         .lease_expired = metrics.NewCounter(telemetry::kLeaseExpired)});
  RunningTask(2);
  clock_.Advance(absl::Seconds(20));  // waits for a device: that is no latency
  const auto connection = std::make_shared<RecordingConnection>();
  const auto welcome = dispatcher.Attach(
      connection, {.agent = AgentId("a"), .devices = {Cpu()}, .holding = {}, .prefetch = 1});
  ASSERT_TRUE(welcome.ok()) << welcome.status();
  ASSERT_TRUE(dispatcher.Advance().ok());
  ASSERT_THAT(connection->assignments, SizeIs(1));
  EXPECT_THAT(metrics.Text(), HasSubstr("burnish_dispatch_latency_seconds_bucket{le=\"0.001\"} 1"));

  clock_.Advance(absl::Seconds(10));  // waits for the slot
  const auto& held = connection->assignments[0];
  ASSERT_TRUE(dispatcher
                  .Reports({{welcome->session,
                             {held.attempt, held.work_item, held.fence,
                              work::Measurement{.outcome = work::Outcome::kCrash}}}})
                  .ok());
  clock_.Advance(absl::Seconds(3));
  ASSERT_TRUE(dispatcher.Advance().ok());
  ASSERT_THAT(connection->assignments, SizeIs(2));
  EXPECT_THAT(metrics.Text(), HasSubstr("burnish_dispatch_latency_seconds_sum 3"));

  clock_.Advance(absl::Seconds(31));
  ASSERT_TRUE(dispatcher.Advance().ok());
  EXPECT_THAT(metrics.Text(), HasSubstr("burnish_lease_expired_total 1"));
}

TEST_F(DispatcherTest, CloseAllEndsEveryConnection) {
  const Attached a = Attach("a");
  const Attached b = Attach("b");
  dispatcher_.CloseAll(absl::UnavailableError("the server stops"));
  EXPECT_TRUE(absl::IsUnavailable(a.connection->closed));
  EXPECT_TRUE(absl::IsUnavailable(b.connection->closed));
  RunningTask(1);
  Advance();
  EXPECT_THAT(a.connection->assignments, IsEmpty());
}

}  // namespace
}  // namespace burnish::dispatch
