#include "client/cli/report.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void SetResult(pb::ConfigurationResult* result, int64_t block, double seconds) {
  pb::Setting* setting = result->mutable_configuration()->add_settings();
  setting->set_name("BLOCK");
  setting->mutable_value()->set_integer(block);
  result->set_latency_seconds(seconds);
  result->set_low_seconds(seconds * 0.99);
  result->set_high_seconds(seconds * 1.01);
  result->set_verified(true);
  result->set_max_relative_error(3.1e-6);
}

pb::JobSnapshot Done() {
  pb::JobSnapshot snapshot;
  snapshot.set_job_id("j42");
  snapshot.set_name("matmul-512");
  snapshot.set_state(pb::STATE_DONE);
  snapshot.set_reason("budget spent");
  pb::TaskSnapshot* task = snapshot.add_tasks();
  task->set_task_id("j42.1");
  task->set_problem("matmul-512");
  task->set_state(pb::STATE_DONE);
  task->set_trials(300);
  task->set_valid(299);
  task->set_statistic("p20");
  task->set_speedup(2.31);
  task->set_speedup_low(2.29);
  task->set_speedup_high(2.33);
  task->set_seconds(131);
  SetResult(task->mutable_best(), 128, 201e-6);
  SetResult(task->mutable_default_result(), 32, 464.4e-6);
  pb::OutcomeCount* ok = task->add_outcomes();
  ok->set_outcome(pb::OUTCOME_OK);
  ok->set_count(299);
  pb::OutcomeCount* failed = task->add_outcomes();
  failed->set_outcome(pb::OUTCOME_COMPILE_ERROR);
  failed->set_count(1);
  failed->set_example("vadd.cc:7: error: 'VEK' was not declared\nsecond line");
  return snapshot;
}

TEST(JobDocumentTest, HoldsTheKeysThatScriptsRelyOn) {
  const auto document = JobDocument(Done());
  EXPECT_EQ(document["job_id"], "j42");
  EXPECT_EQ(document["state"], "done");
  EXPECT_EQ(document["reason"], "budget spent");
  EXPECT_TRUE(document.at("eta_seconds").is_null());
  const auto& task = document["tasks"][0];
  EXPECT_EQ(task["task_id"], "j42.1");
  EXPECT_EQ(task["outcomes"], nlohmann::ordered_json({{"ok", 299}, {"compile_error", 1}}));
  EXPECT_EQ(task["best"]["configuration"]["BLOCK"], 128);
  EXPECT_EQ(task["best"]["speedup"], 2.31);
  EXPECT_EQ(task["best"]["verified"], true);
  EXPECT_EQ(task["best"]["tie"], nlohmann::ordered_json::array());
  EXPECT_EQ(task["default"]["latency_seconds"], 464.4e-6);
  EXPECT_EQ(task["default"]["interval_seconds"].size(), 2u);
  EXPECT_TRUE(task["default"].at("roof_share").is_null());
  EXPECT_EQ(task["history"], nlohmann::ordered_json::array());
}

TEST(JobDocumentTest, SaysHowLongARunningJobTakes) {
  pb::JobSnapshot snapshot = Done();
  snapshot.set_state(pb::STATE_RUNNING);
  pb::TaskSnapshot& task = *snapshot.mutable_tasks(0);
  task.set_state(pb::STATE_RUNNING);
  task.set_budget_trials(400);
  task.set_seconds(150);
  EXPECT_EQ(JobDocument(snapshot)["eta_seconds"], 52);
}

TEST(ForecastDocumentTest, IsNullWhereNothingIsKnown) {
  pb::Forecast forecast;
  forecast.set_trials(7);
  EXPECT_EQ(ForecastJson(forecast).dump(), R"({"trials":7,"seconds":null,"device_seconds":null})");
}

TEST(JobDocumentTest, TheShareOfTheRoofStandsBesideTheThroughput) {
  pb::JobSnapshot snapshot = Done();
  snapshot.mutable_tasks(0)->set_flops(1e6);
  snapshot.mutable_tasks(0)->mutable_best()->set_roof_share(0.412);
  EXPECT_EQ(JobDocument(snapshot)["tasks"][0]["best"]["roof_share"], 0.412);
  EXPECT_THAT(ResultTable(snapshot), HasSubstr("GFLOP/s  41 %"));
  pb::Record record;
  record.mutable_measurement()->set_outcome(pb::OUTCOME_OK);
  EXPECT_TRUE(RecordDocument(record)["metrics"].at("roof_share").is_null());
  record.set_roof_share(0.5);
  EXPECT_EQ(RecordDocument(record)["metrics"]["roof_share"], 0.5);
}

TEST(JobDocumentTest, SaysWhatTheSearchStartedFrom) {
  pb::JobSnapshot snapshot = Done();
  EXPECT_THAT(ResultTable(snapshot), Not(HasSubstr("history")));
  const auto add = [&](const std::string& name, int64_t records) {
    pb::HistorySource& source = *snapshot.mutable_tasks(0)->add_history();
    source.set_name(name);
    source.set_records(records);
  };
  add("matmul-512 on Zen 4", 200);
  EXPECT_THAT(ResultTable(snapshot), HasSubstr("history   200 records of matmul-512 on Zen 4\n"));
  add("imported gemm.json on A100", 150);
  EXPECT_THAT(ResultTable(snapshot), HasSubstr("history   350 records of 2 sources\n"));
  EXPECT_EQ(JobDocument(snapshot)["tasks"][0]["history"].dump(),
            R"([{"source":"matmul-512 on Zen 4","records":200},)"
            R"({"source":"imported gemm.json on A100","records":150}])");
}

TEST(JobDocumentTest, WhatIsNotKnownIsNullNeverAbsent) {
  pb::JobSnapshot snapshot;
  snapshot.set_job_id("j1");
  snapshot.set_state(pb::STATE_QUEUED);
  snapshot.add_tasks()->set_task_id("j1.1");
  const auto document = JobDocument(snapshot);
  EXPECT_TRUE(document.at("reason").is_null());
  for (const char* key : {"device", "reason", "statistic", "default", "best"}) {
    EXPECT_TRUE(document["tasks"][0].at(key).is_null()) << key;
  }
}

TEST(ResultTableTest, ShowsBestDefaultOutcomesAndOneMessageEach) {
  const std::string table = ResultTable(Done());
  EXPECT_THAT(table, HasSubstr("best     201.0 µs"));
  EXPECT_THAT(table, HasSubstr("2.31x (2.29 to 2.33)"));
  EXPECT_THAT(table, HasSubstr("default  464.4 µs"));
  EXPECT_THAT(table, HasSubstr("config    BLOCK=128"));
  EXPECT_THAT(table, HasSubstr("outcomes  ok 299 · compile_error 1"));
  EXPECT_THAT(table, HasSubstr("compile_error: vadd.cc:7: error: 'VEK' was not declared"));
  EXPECT_THAT(table, Not(HasSubstr("second line")));
}

TEST(ExitCodeTest, DoneWithAVerifiedBestIsZeroAllElseIsOne) {
  EXPECT_EQ(ExitCodeOfJob(Done()), kExitDone);
  pb::JobSnapshot unverified = Done();
  unverified.mutable_tasks(0)->mutable_best()->set_verified(false);
  EXPECT_EQ(ExitCodeOfJob(unverified), kExitJobFailed);
  pb::JobSnapshot failed = Done();
  failed.set_state(pb::STATE_FAILED);
  EXPECT_EQ(ExitCodeOfJob(failed), kExitJobFailed);
  pb::JobSnapshot nothing = Done();
  nothing.mutable_tasks(0)->clear_best();
  EXPECT_EQ(ExitCodeOfJob(nothing), kExitJobFailed);
}

TEST(RecordDocumentTest, HasOneFlatObjectPerMeasurement) {
  pb::Record record;
  record.set_attempt_id("a7.1");
  record.set_trial(3);
  record.set_task_id("j42.1");
  record.set_device_id("host/cpu:0");
  record.mutable_measurement()->set_outcome(pb::OUTCOME_OK);
  record.mutable_measurement()->mutable_latency()->set_seconds(2e-4);
  pb::Sample* sample = record.mutable_measurement()->add_samples();
  sample->set_total_ns(2000);
  sample->set_launches(10);
  const auto document = RecordDocument(record);
  EXPECT_EQ(document["metrics"]["latency_seconds"], 2e-4);
  EXPECT_EQ(document["samples"][0]["launches"], 10);
  EXPECT_TRUE(document["message"].is_null());
  EXPECT_EQ(document["flags"], nlohmann::ordered_json::array());
  EXPECT_TRUE(document["control_seconds"].is_null());
  EXPECT_EQ(document["sample_count"], 1);
}

TEST(RecordDocumentTest, CountsSamplesThatTheServerDropped) {
  pb::Record record;
  record.mutable_measurement()->set_outcome(pb::OUTCOME_OK);
  record.mutable_measurement()->set_control_seconds(3e-3);
  record.set_dropped_samples(40);
  const auto document = RecordDocument(record);
  EXPECT_EQ(document["samples"], nlohmann::ordered_json::array());
  EXPECT_EQ(document["sample_count"], 40);
  EXPECT_EQ(document["control_seconds"], 3e-3);
}

}  // namespace
}  // namespace burnish::cli
