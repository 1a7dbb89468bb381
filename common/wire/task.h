// Task definitions, which go to an agent once: domain <-> protobuf. A source that is a blob travels
// by its hash, without its text. Pure functions.
#pragma once

#include "absl/status/statusor.h"
#include "burnish/v1/task.pb.h"
#include "common/work/task_definition.h"

namespace burnish::wire {

namespace pb = burnish::v1;

pb::Role ToProto(spec::Role role);
pb::FillKind ToProto(spec::FillKind kind);
pb::CacheState ToProto(spec::CacheState state);
pb::Argument ToProto(const spec::Argument& argument);
pb::Stage ToProto(const spec::Kernel& kernel);
pb::Reference ToProto(const spec::Reference& reference);
pb::MeasureOptions ToProto(const spec::MeasureOptions& options);
pb::TaskDefinition ToProto(const work::TaskDefinition& definition);

// InvalidArgument, naming the field, for what is unknown or missing.
absl::StatusOr<spec::Role> FromProto(pb::Role role);
absl::StatusOr<spec::FillKind> FromProto(pb::FillKind kind);
absl::StatusOr<spec::CacheState> FromProto(pb::CacheState state);
absl::StatusOr<spec::Argument> FromProto(const pb::Argument& argument);
absl::StatusOr<spec::Kernel> FromProto(const pb::Stage& stage);
absl::StatusOr<spec::Reference> FromProto(const pb::Reference& reference);
absl::StatusOr<spec::MeasureOptions> FromProto(const pb::MeasureOptions& options);
absl::StatusOr<work::TaskDefinition> FromProto(const pb::TaskDefinition& definition);

}  // namespace burnish::wire
