#include "server/monitor/store_gauges.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/store/sqlite/sqlite_store.h"
#include "tests/unit/server/store/store_steps.h"

namespace burnish::server {
namespace {

using store::State;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr absl::Duration kLease = absl::Seconds(30);

class StoreGaugesTest : public ::testing::Test {
 protected:
  // The metrics a second later.
  std::string Scrape() {
    clock_.Advance(absl::Seconds(1));
    return metrics_.Text();
  }

  // A running task for a device class, with two trials queued.
  TaskId RunningTask(const std::string& device_class) {
    store::NewJob job{.client_request_id = device_class, .name = "job"};
    job.tasks.push_back({.device_class = device_class, .hash = TaskHash("h"), .budget_trials = 2});
    const JobId id = store_->CreateJob(owner_, job)->first;
    const TaskId task{id, 1};
    EXPECT_TRUE(store_->MoveJob(owner_, id, {State::kQueued}, State::kRunning, "").ok());
    EXPECT_TRUE(store::MoveTask(*store_, owner_, task, {State::kQueued}, State::kRunning, "").ok());
    const space::Configuration configuration{{"A", int64_t{1}}};
    EXPECT_TRUE(store::AddTrials(
                    *store_, owner_, task,
                    {{TrialNumber(0), 0, configuration, 0}, {TrialNumber(1), 1, configuration, 0}})
                    .ok());
    return task;
  }

  SessionId Attach(const std::string& agent, const std::string& unavailable_reason = "") {
    const work::DeviceInfo device{.backend = "cpu",
                                  .device_class = "zen4",
                                  .languages = {"cpp"},
                                  .unavailable_reason = unavailable_reason};
    return store_->OpenSession(AgentId(agent), {device}, {}, kLease)->session;
  }

  const Namespace owner_{"lab"};
  SimulatedClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  std::unique_ptr<store::Store> store_ = *store::OpenSqliteStore(":memory:", clock_);
  telemetry::Metrics metrics_;
  StoreGauges gauges_{*store_, ServerMetrics(metrics_), clock_, absl::Seconds(15)};

  void SetUp() override {
    metrics_.BeforeScrape([this] { gauges_.Refresh(); });
  }
};

TEST_F(StoreGaugesTest, CountAgentsAndDevicesByState) {
  Attach("a");
  Attach("b", "no compiler");
  EXPECT_THAT(Scrape(),
              AllOf(HasSubstr("burnish_agents{state=\"live\"} 2\n"),
                    HasSubstr("burnish_devices{backend=\"cpu\",state=\"available\"} 1\n"),
                    HasSubstr("burnish_devices{backend=\"cpu\",state=\"unavailable\"} 1\n"),
                    HasSubstr("burnish_agent_heartbeat_age_seconds 1\n")));
  clock_.Advance(absl::Seconds(20));
  EXPECT_THAT(Scrape(), AllOf(HasSubstr("burnish_agents{state=\"live\"} 0\n"),
                              HasSubstr("burnish_agents{state=\"suspect\"} 2\n")));
  clock_.Advance(absl::Seconds(20));
  EXPECT_THAT(Scrape(), AllOf(HasSubstr("burnish_agents{state=\"suspect\"} 0\n"),
                              HasSubstr("burnish_agents{state=\"gone\"} 2\n"),
                              HasSubstr("burnish_devices{backend=\"cpu\",state=\"gone\"} 2\n"),
                              HasSubstr("burnish_agent_heartbeat_age_seconds 0\n")));
}

TEST_F(StoreGaugesTest, CountJobsAndWorkItemsAndHowLongWorkWaits) {
  const TaskId task = RunningTask("zen4");
  RunningTask("class that nobody has");
  clock_.Advance(absl::Seconds(99));
  EXPECT_THAT(Scrape(),
              AllOf(HasSubstr("burnish_jobs{state=\"running\"} 2\n"),
                    HasSubstr("burnish_work_items{backend=\"other\",state=\"queued\"} 4\n"),
                    HasSubstr("burnish_queue_oldest_age_seconds{backend=\"other\"} 100\n")));

  const SessionId session = Attach("a");
  ASSERT_EQ(store::Claim(*store_, session, DeviceId("a/cpu:0"), task, 1, absl::Hours(1))->size(),
            1u);
  EXPECT_THAT(Scrape(),
              AllOf(HasSubstr("burnish_work_items{backend=\"cpu\",state=\"queued\"} 1\n"),
                    HasSubstr("burnish_work_items{backend=\"cpu\",state=\"running\"} 1\n"),
                    HasSubstr("burnish_work_items{backend=\"other\",state=\"queued\"} 2\n"),
                    HasSubstr("burnish_queue_oldest_age_seconds{backend=\"cpu\"} 0\n")));

  // Its device leaves: from the first look on, the task waits.
  ASSERT_TRUE(store_->CloseSession(session).ok());
  EXPECT_THAT(Scrape(), HasSubstr("burnish_queue_oldest_age_seconds{backend=\"cpu\"} 0\n"));
  clock_.Advance(absl::Seconds(41));
  EXPECT_THAT(Scrape(), HasSubstr("burnish_queue_oldest_age_seconds{backend=\"cpu\"} 42\n"));
}

TEST_F(StoreGaugesTest, LookAtTheStoreAtMostOnceASecond) {
  EXPECT_THAT(Scrape(), HasSubstr("burnish_agents{state=\"live\"} 0\n"));
  Attach("a");
  EXPECT_THAT(metrics_.Text(), HasSubstr("burnish_agents{state=\"live\"} 0\n"));
  EXPECT_THAT(Scrape(), HasSubstr("burnish_agents{state=\"live\"} 1\n"));
}

TEST(MetricNames, ListTheStatesOfJobsThatHaveNotEnded) {
  std::vector<std::string> states;
  for (const State state : {State::kQueued, State::kRunning, State::kPaused, State::kFinishing}) {
    states.emplace_back(store::StateName(state));
  }
  EXPECT_THAT(states, testing::ElementsAreArray(telemetry::kActiveJobStates));
}

}  // namespace
}  // namespace burnish::server
