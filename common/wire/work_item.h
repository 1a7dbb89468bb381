// Assignments to agents and the reports that come back: domain <-> protobuf. Pure functions.
#pragma once

#include "absl/status/statusor.h"
#include "burnish/v1/agent_service.pb.h"
#include "common/work/work_item.h"

namespace burnish::wire {

namespace pb = burnish::v1;

pb::Assignment ToProto(const work::Assignment& assignment);
pb::ReportMessage ToProto(const work::Report& report);
pb::ReportAcknowledgement::Result ToProto(work::ReportResult result);

// InvalidArgument, naming the field, for what is unknown or missing.
absl::StatusOr<work::Assignment> FromProto(const pb::Assignment& assignment);
absl::StatusOr<work::Report> FromProto(const pb::ReportMessage& report);
absl::StatusOr<work::ReportResult> FromProto(pb::ReportAcknowledgement::Result result);

}  // namespace burnish::wire
