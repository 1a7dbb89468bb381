#include "server/rpc/snapshot_wire.h"

#include <set>

#include "gtest/gtest.h"

namespace burnish::rpc {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

store::DeviceRow Row() {
  store::DeviceRow row;
  row.device.id = DeviceId("host/cpu:0");
  row.device.agent = AgentId("host");
  row.device.info.backend = "cpu";
  row.live = true;
  row.last_seen = kNow;
  return row;
}

jobs::ConfigurationResult Result(int64_t block) {
  jobs::ConfigurationResult result;
  result.configuration = {{"BLOCK", block}};
  result.trial = TrialNumber(block);
  result.latency_seconds = 1e-3;
  result.interval = {.low = 0.9e-3, .high = 1.1e-3};
  result.verified = true;
  result.max_relative_error = 1e-6;
  return result;
}

TEST(StateWire, HasAValueForEveryStateAndNoOther) {
  std::set<int> seen;
  for (const store::State state :
       {store::State::kQueued, store::State::kRunning, store::State::kPaused,
        store::State::kFinishing, store::State::kDone, store::State::kFailed,
        store::State::kCancelled}) {
    seen.insert(ToProto(state));
  }
  EXPECT_EQ(static_cast<int>(seen.size()), pb::State_descriptor()->value_count() - 1);
}

TEST(DeviceRowWire, TellsTheStateOfADevice) {
  store::DeviceRow row = Row();
  EXPECT_EQ(ToProto(row, kNow).state(), "ready");
  EXPECT_EQ(ToProto(row, kNow).reason(), "");
  row.device.info.unavailable_reason = "no compiler on the PATH";
  EXPECT_EQ(ToProto(row, kNow).state(), "unavailable");
  EXPECT_EQ(ToProto(row, kNow).reason(), "no compiler on the PATH");
  row.live = false;
  EXPECT_EQ(ToProto(row, kNow + absl::Seconds(34)).state(), "lost");
  EXPECT_EQ(ToProto(row, kNow + absl::Seconds(34)).reason(), "its agent was last heard 34 s ago");
}

TEST(JobSnapshotWire, KeepsEveryField) {
  jobs::JobSnapshot snapshot;
  snapshot.job.id = JobId(42);
  snapshot.job.name = "matmul";
  snapshot.text = "name: matmul";
  snapshot.job.state = store::State::kFinishing;
  snapshot.job.reason = "asked to";
  snapshot.job.created = kNow;
  snapshot.waiting = "no device";
  jobs::TaskSnapshot task;
  task.id = {JobId(42), 1};
  task.problem = "matmul";
  task.device_class = "zen4";
  task.device = Row();
  task.state = store::State::kRunning;
  task.reason = "because";
  task.trials = 10;
  task.budget_trials = 20;
  task.budget_seconds = 60;
  task.budget_device_seconds = 50;
  task.device_seconds = 2.5;
  task.valid = 9;
  task.running = 2;
  task.outcomes = {{.outcome = work::Outcome::kCrash,
                    .count = 1,
                    .example = "signal 11",
                    .example_trial = TrialNumber(3)}};
  task.statistic = "p20";
  task.default_result = Result(1);
  task.best = Result(2);
  task.tie = {Result(3)};
  task.speedup = 2.5;
  task.speedup_interval = {.low = 2.4, .high = 2.6};
  task.seconds = 12.5;
  task.work = {.flops = 1e9, .bytes = 1e6};
  task.pruned = "3 configurations";
  task.space_size = 18'000'000'000'000'000'000u;
  snapshot.tasks = {task};

  const pb::JobSnapshot proto = ToProto(snapshot, kNow);
  EXPECT_EQ(proto.job_id(), "j42");
  EXPECT_EQ(proto.name(), "matmul");
  EXPECT_EQ(proto.job_text(), "name: matmul");
  EXPECT_EQ(proto.state(), pb::STATE_FINISHING);
  EXPECT_EQ(proto.reason(), "asked to");
  EXPECT_EQ(proto.created_unix_ms(), absl::ToUnixMillis(kNow));
  EXPECT_EQ(proto.waiting(), "no device");
  ASSERT_EQ(proto.tasks_size(), 1);
  const pb::TaskSnapshot& out = proto.tasks(0);
  EXPECT_EQ(out.task_id(), "j42.1");
  EXPECT_EQ(out.problem(), "matmul");
  EXPECT_EQ(out.device_class(), "zen4");
  EXPECT_EQ(out.device().device_id(), "host/cpu:0");
  EXPECT_EQ(out.state(), pb::STATE_RUNNING);
  EXPECT_EQ(out.reason(), "because");
  EXPECT_EQ(out.trials(), 10);
  EXPECT_EQ(out.budget_trials(), 20);
  EXPECT_EQ(out.budget_seconds(), 60);
  EXPECT_EQ(out.budget_device_seconds(), 50);
  EXPECT_EQ(out.device_seconds(), 2.5);
  EXPECT_EQ(out.pruned(), "3 configurations");
  EXPECT_EQ(out.valid(), 9);
  EXPECT_EQ(out.running(), 2);
  ASSERT_EQ(out.outcomes_size(), 1);
  EXPECT_EQ(out.outcomes(0).outcome(), pb::OUTCOME_CRASH);
  EXPECT_EQ(out.outcomes(0).count(), 1);
  EXPECT_EQ(out.outcomes(0).example(), "signal 11");
  EXPECT_EQ(out.statistic(), "p20");
  EXPECT_EQ(out.default_result().trial(), 1);
  EXPECT_EQ(out.best().configuration().settings(0).value().integer(), 2);
  EXPECT_EQ(out.best().latency_seconds(), 1e-3);
  EXPECT_EQ(out.best().low_seconds(), 0.9e-3);
  EXPECT_EQ(out.best().high_seconds(), 1.1e-3);
  EXPECT_TRUE(out.best().verified());
  EXPECT_EQ(out.best().max_relative_error(), 1e-6);
  ASSERT_EQ(out.tie_size(), 1);
  EXPECT_EQ(out.tie(0).trial(), 3);
  EXPECT_EQ(out.speedup(), 2.5);
  EXPECT_EQ(out.speedup_low(), 2.4);
  EXPECT_EQ(out.speedup_high(), 2.6);
  EXPECT_EQ(out.seconds(), 12.5);
  EXPECT_EQ(out.flops(), 1e9);
  EXPECT_EQ(out.bytes(), 1e6);
  EXPECT_EQ(out.space_size(), "18000000000000000000");
}

TEST(JobSnapshotWire, LeavesOutWhatIsNotKnown) {
  jobs::JobSnapshot snapshot;
  snapshot.tasks.emplace_back();
  const pb::JobSnapshot proto = ToProto(snapshot, kNow);
  EXPECT_EQ(proto.job_text(), "");
  EXPECT_FALSE(proto.tasks(0).has_device());
  EXPECT_FALSE(proto.tasks(0).has_default_result());
  EXPECT_FALSE(proto.tasks(0).has_best());
}

TEST(RecordWire, KeepsMeasurementsAndComparisons) {
  store::ResultRow row;
  row.attempt = AttemptId("a1");
  row.task = {JobId(42), 1};
  row.trial = TrialNumber(7);
  row.device = DeviceId("host/cpu:0");
  row.late = true;
  row.configuration = space::Configuration{{"BLOCK", int64_t{32}}};
  row.stored = kNow;
  row.result = work::Measurement{};
  pb::Record proto = ToProto(row);
  EXPECT_EQ(proto.attempt_id(), "a1");
  EXPECT_EQ(proto.task_id(), "j42.1");
  EXPECT_EQ(proto.trial(), 7);
  EXPECT_EQ(proto.device_id(), "host/cpu:0");
  EXPECT_TRUE(proto.late());
  EXPECT_EQ(proto.configuration().settings(0).name(), "BLOCK");
  EXPECT_EQ(proto.stored_unix_ms(), absl::ToUnixMillis(kNow));
  EXPECT_TRUE(proto.has_measurement());

  row.configuration.reset();
  row.result = work::Comparison{};
  proto = ToProto(row);
  EXPECT_TRUE(proto.has_comparison());
  EXPECT_FALSE(proto.has_configuration());
}

}  // namespace
}  // namespace burnish::rpc
