#include "client/cli/measured_records.h"

#include "common/measured/reader.h"
#include "common/measured/writer.h"
#include "common/wire/configuration.h"
#include "common/wire/measurement.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::cli {
namespace {

using ::testing::HasSubstr;
using work::Outcome;

pb::Record RecordOf(const std::string& task, int64_t block, Outcome outcome) {
  work::Measurement measurement{.outcome = outcome, .message = "why", .compile_seconds = 0.5};
  if (outcome == Outcome::kOk) {
    measurement.message.clear();
    measurement.samples = {{.total_ns = 4'000'000, .launches = 2}};
    measurement.latency = work::Latency{
        .statistic = "p20", .seconds = 2e-3, .interval = {2e-3, 2e-3}, .min_seconds = 2e-3};
  }
  pb::Record record;
  record.set_attempt_id("a" + std::to_string(block));
  record.set_task_id(task);
  *record.mutable_configuration() = wire::ToProto({{"BLOCK", block}, {"MODE", "ij"}});
  *record.mutable_measurement() = wire::ToProto(measurement);
  return record;
}

JobRecords SomeRecords() {
  JobRecords records;
  records.job.set_job_id("j1");
  records.job.set_name("scale");
  pb::TaskSnapshot& task = *records.job.add_tasks();
  task.set_task_id("j1.1");
  task.set_problem("scale(n=4)");
  task.mutable_device()->mutable_info()->set_name("EPYC");
  records.records = {RecordOf("j1.1", 8, Outcome::kOk), RecordOf("j1.1", 4, Outcome::kTimeout),
                     RecordOf("j1.1", 2, Outcome::kInfrastructure),
                     RecordOf("j1.2", 1, Outcome::kOk)};
  return records;
}

TEST(MeasuredRecordsTest, ATasksRecordsMakeASpaceThatOthersRead) {
  const auto space = MeasuredSpaceOf(SomeRecords(), "");
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(space->device, "EPYC");
  ASSERT_EQ(space->records.size(), 2u) << "neither infrastructure nor another task's";
  const auto again = measured::Read("j1.t4.json", measured::WriteT4(*space));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->kernel, "scale(n=4)");
  ASSERT_EQ(again->records.size(), 2u);
  EXPECT_DOUBLE_EQ(again->records[0].latency_seconds, 2e-3);
  EXPECT_DOUBLE_EQ(again->records[0].compile_seconds, 0.5);
  EXPECT_EQ(again->parameters[0].values[again->records[0].values[0]], expr::Value(int64_t{8}));
  EXPECT_EQ(again->records[1].outcome, Outcome::kTimeout);
}

TEST(MeasuredRecordsTest, OfSeveralTasksOneIsChosen) {
  JobRecords records = SomeRecords();
  records.job.add_tasks()->set_task_id("j1.2");
  EXPECT_THAT(std::string(MeasuredSpaceOf(records, "").status().message()),
              HasSubstr("j1 has 2 tasks; this format holds one"));
  EXPECT_EQ(MeasuredSpaceOf(records, "j1.2")->records.size(), 1u);
  EXPECT_TRUE(absl::IsNotFound(MeasuredSpaceOf(records, "j1.3").status()));
}

TEST(MeasuredRecordsTest, AJobWithoutMeasurementsIsSaidToHaveNone) {
  JobRecords records = SomeRecords();
  records.records.clear();
  EXPECT_FALSE(MeasuredSpaceOf(records, "").ok());
}

}  // namespace
}  // namespace burnish::cli
