// What attempts report: domain <-> protobuf. Pure functions.
#pragma once

#include "absl/status/statusor.h"
#include "burnish/v1/measurement.pb.h"
#include "common/work/measurement.h"

namespace burnish::wire {

namespace pb = burnish::v1;

pb::Outcome ToProto(work::Outcome outcome);
pb::Sample ToProto(const work::Sample& sample);
pb::Latency ToProto(const work::Latency& latency);
pb::Correctness ToProto(const work::Correctness& correctness);
pb::Figures ToProto(const work::Figures& figures);
pb::Measurement ToProto(const work::Measurement& measurement);
pb::FinalistSamples ToProto(const work::FinalistSamples& finalist);
pb::Comparison ToProto(const work::Comparison& comparison);

// InvalidArgument, naming the field, for unknown outcomes and for figures that no clock can give
// (a sample without a launch, a latency that is not a positive number).
absl::StatusOr<work::Outcome> FromProto(pb::Outcome outcome);
absl::StatusOr<work::Sample> FromProto(const pb::Sample& sample);
absl::StatusOr<work::Latency> FromProto(const pb::Latency& latency);
work::Correctness FromProto(const pb::Correctness& correctness);
absl::StatusOr<work::Figures> FromProto(const pb::Figures& figures);
absl::StatusOr<work::Measurement> FromProto(const pb::Measurement& measurement);
absl::StatusOr<work::FinalistSamples> FromProto(const pb::FinalistSamples& finalist);
absl::StatusOr<work::Comparison> FromProto(const pb::Comparison& comparison);

}  // namespace burnish::wire
