#include "common/wire/work_item.h"

#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::wire {
namespace {

using ::testing::HasSubstr;

work::Assignment AssignmentOf(work::Work work) {
  return {.attempt = AttemptId("a1"),
          .work_item = WorkItemId(7),
          .fence = Fence(3),
          .device = DeviceId("host/cpu:0"),
          .task = TaskHash("cafe"),
          .work = std::move(work)};
}

void ExpectSameHead(const work::Assignment& a, const work::Assignment& b) {
  EXPECT_EQ(a.attempt, b.attempt);
  EXPECT_EQ(a.work_item, b.work_item);
  EXPECT_EQ(a.fence, b.fence);
  EXPECT_EQ(a.device, b.device);
  EXPECT_EQ(a.task, b.task);
}

TEST(AssignmentWire, KeepsTheIncumbent) {
  const auto assignment = AssignmentOf(work::MeasureWork{
      .configuration = {{"BLOCK", int64_t{32}}}, .incumbent = {{1.5e-3, DeviceId("a/cpu:0")}}});
  const auto back = FromProto(ToProto(assignment));
  ASSERT_TRUE(back.ok()) << back.status();
  const auto& measure = std::get<work::MeasureWork>(back->work);
  ASSERT_TRUE(measure.incumbent.has_value());
  EXPECT_EQ(measure.incumbent->seconds, 1.5e-3);
  EXPECT_EQ(measure.incumbent->device, DeviceId("a/cpu:0"));

  pb::Assignment proto = ToProto(assignment);
  proto.mutable_measure()->mutable_incumbent()->set_seconds(0);
  EXPECT_FALSE(FromProto(proto).ok());
}

TEST(AssignmentWire, KeepsMeasureWork) {
  const auto assignment = AssignmentOf(work::MeasureWork{{{"BLOCK", int64_t{32}}}});
  const auto back = FromProto(ToProto(assignment));
  ASSERT_TRUE(back.ok()) << back.status();
  ExpectSameHead(*back, assignment);
  EXPECT_TRUE(space::SameConfiguration(std::get<work::MeasureWork>(back->work).configuration,
                                       std::get<work::MeasureWork>(assignment.work).configuration));
}

TEST(AssignmentWire, KeepsCompareWork) {
  const auto assignment = AssignmentOf(work::CompareWork{
      .finalists = {{{"BLOCK", int64_t{32}}}, {{"BLOCK", int64_t{64}}}}, .rounds = 12});
  const auto back = FromProto(ToProto(assignment));
  ASSERT_TRUE(back.ok()) << back.status();
  ExpectSameHead(*back, assignment);
  const auto& compare = std::get<work::CompareWork>(back->work);
  EXPECT_EQ(compare.rounds, 12);
  ASSERT_EQ(compare.finalists.size(), 2u);
  EXPECT_TRUE(space::SameConfiguration(compare.finalists[1], {{"BLOCK", int64_t{64}}}));
}

TEST(AssignmentWire, RefusesWorkOfNoKnownKind) {
  pb::Assignment proto = ToProto(AssignmentOf(work::MeasureWork{}));
  proto.clear_measure();
  EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("assignment.work"));
  proto = ToProto(AssignmentOf(work::MeasureWork{}));
  proto.clear_attempt_id();
  EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("assignment.attempt_id"));
}

TEST(ReportWire, KeepsMeasurementsAndComparisons) {
  work::Measurement measurement;
  measurement.outcome = work::Outcome::kCrash;
  work::Comparison comparison;
  comparison.outcome = work::Outcome::kTimeout;
  for (const bool measured : {true, false}) {
    work::Report report{.attempt = AttemptId("a1"),
                        .work_item = WorkItemId(7),
                        .fence = Fence(3),
                        .result = measurement};
    if (!measured) report.result = comparison;
    const auto back = FromProto(ToProto(report));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->attempt, report.attempt);
    EXPECT_EQ(back->work_item, report.work_item);
    EXPECT_EQ(back->fence, report.fence);
    EXPECT_EQ(back->result.index(), report.result.index());
  }
}

TEST(ReportWire, NamesWhatIsMissing) {
  pb::ReportMessage proto;
  EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("report.attempt_id"));
  proto.set_attempt_id("a1");
  EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("report.result"));
  proto.mutable_measurement();
  EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("outcome"));
}

TEST(ReportResultWire, KeepsEveryValueAndRefusesOthers) {
  std::set<int> seen;
  for (const auto result :
       {work::ReportResult::kStored, work::ReportResult::kDuplicate, work::ReportResult::kLate}) {
    seen.insert(ToProto(result));
    const auto back = FromProto(ToProto(result));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(*back, result);
  }
  EXPECT_EQ(static_cast<int>(seen.size()),
            pb::ReportAcknowledgement::Result_descriptor()->value_count() - 1);
  EXPECT_FALSE(FromProto(pb::ReportAcknowledgement::RESULT_UNSPECIFIED).ok());
}

}  // namespace
}  // namespace burnish::wire
