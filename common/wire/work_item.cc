#include "common/wire/work_item.h"

#include <utility>
#include <variant>

#include "common/base/status_macros.h"
#include "common/wire/configuration.h"
#include "common/wire/enum_table.h"
#include "common/wire/measurement.h"

namespace burnish::wire {
namespace {

constexpr EnumTable<work::ReportResult, pb::ReportAcknowledgement::Result, 3> kReportResults = {{
    {work::ReportResult::kStored, pb::ReportAcknowledgement::RESULT_STORED},
    {work::ReportResult::kDuplicate, pb::ReportAcknowledgement::RESULT_DUPLICATE},
    {work::ReportResult::kLate, pb::ReportAcknowledgement::RESULT_LATE},
}};

absl::StatusOr<work::Work> ReadWork(const pb::Assignment& assignment) {
  switch (assignment.work_case()) {
    case pb::Assignment::kMeasure: {
      work::MeasureWork measure;
      ASSIGN_OR_RETURN(measure.configuration, FromProto(assignment.measure().configuration()));
      if (assignment.measure().has_incumbent()) {
        const pb::Incumbent& incumbent = assignment.measure().incumbent();
        if (!(incumbent.seconds() > 0)) {
          return absl::InvalidArgumentError("assignment.measure.incumbent.seconds: not positive");
        }
        measure.incumbent = {.seconds = incumbent.seconds(),
                             .device = DeviceId(incumbent.device_id())};
      }
      return measure;
    }
    case pb::Assignment::kCompare: {
      work::CompareWork compare;
      for (const pb::Configuration& finalist : assignment.compare().finalists()) {
        ASSIGN_OR_RETURN(space::Configuration converted, FromProto(finalist));
        compare.finalists.push_back(std::move(converted));
      }
      compare.rounds = assignment.compare().rounds();
      return compare;
    }
    case pb::Assignment::WORK_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("assignment.work: missing or unknown");
}

}  // namespace

pb::Assignment ToProto(const work::Assignment& assignment) {
  pb::Assignment proto;
  proto.set_attempt_id(assignment.attempt.value());
  proto.set_work_item_id(assignment.work_item.value());
  proto.set_fence(assignment.fence.value());
  proto.set_device_id(assignment.device.value());
  proto.set_task_hash(assignment.task.value());
  if (const auto* measure = std::get_if<work::MeasureWork>(&assignment.work)) {
    *proto.mutable_measure()->mutable_configuration() = ToProto(measure->configuration);
    if (measure->incumbent) {
      pb::Incumbent& incumbent = *proto.mutable_measure()->mutable_incumbent();
      incumbent.set_seconds(measure->incumbent->seconds);
      incumbent.set_device_id(measure->incumbent->device.value());
    }
  } else {
    const auto& compare = std::get<work::CompareWork>(assignment.work);
    for (const space::Configuration& finalist : compare.finalists) {
      *proto.mutable_compare()->add_finalists() = ToProto(finalist);
    }
    proto.mutable_compare()->set_rounds(compare.rounds);
  }
  return proto;
}

absl::StatusOr<work::Assignment> FromProto(const pb::Assignment& proto) {
  if (proto.attempt_id().empty()) {
    return absl::InvalidArgumentError("assignment.attempt_id: missing");
  }
  work::Assignment assignment;
  assignment.attempt = AttemptId(proto.attempt_id());
  assignment.work_item = WorkItemId(proto.work_item_id());
  assignment.fence = Fence(proto.fence());
  assignment.device = DeviceId(proto.device_id());
  assignment.task = TaskHash(proto.task_hash());
  ASSIGN_OR_RETURN(assignment.work, ReadWork(proto));
  return assignment;
}

pb::ReportMessage ToProto(const work::Report& report) {
  pb::ReportMessage proto;
  proto.set_attempt_id(report.attempt.value());
  proto.set_work_item_id(report.work_item.value());
  proto.set_fence(report.fence.value());
  if (const auto* measurement = std::get_if<work::Measurement>(&report.result)) {
    *proto.mutable_measurement() = ToProto(*measurement);
  } else {
    *proto.mutable_comparison() = ToProto(std::get<work::Comparison>(report.result));
  }
  return proto;
}

absl::StatusOr<work::Report> FromProto(const pb::ReportMessage& proto) {
  if (proto.attempt_id().empty()) return absl::InvalidArgumentError("report.attempt_id: missing");
  work::Report report;
  report.attempt = AttemptId(proto.attempt_id());
  report.work_item = WorkItemId(proto.work_item_id());
  report.fence = Fence(proto.fence());
  switch (proto.result_case()) {
    case pb::ReportMessage::kMeasurement: {
      ASSIGN_OR_RETURN(report.result, FromProto(proto.measurement()));
      return report;
    }
    case pb::ReportMessage::kComparison: {
      ASSIGN_OR_RETURN(report.result, FromProto(proto.comparison()));
      return report;
    }
    case pb::ReportMessage::RESULT_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("report.result: missing or unknown");
}

pb::ReportAcknowledgement::Result ToProto(work::ReportResult result) {
  return WireEnum(kReportResults, result);
}

absl::StatusOr<work::ReportResult> FromProto(pb::ReportAcknowledgement::Result result) {
  return DomainEnum(kReportResults, result, "acknowledgement.result");
}

}  // namespace burnish::wire
