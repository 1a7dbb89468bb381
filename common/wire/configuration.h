// Values, constants and configurations: domain <-> protobuf. Pure functions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "burnish/v1/configuration.pb.h"
#include "common/expr/value.h"
#include "common/space/search_space.h"

namespace burnish::wire {

namespace pb = burnish::v1;

// Lists never cross the wire: parameters, constants and scalars have none.
pb::Value ToProto(const expr::Value& value);
pb::Setting ToProto(const std::string& name, const expr::Value& value);
pb::Configuration ToProto(const space::Configuration& configuration);

// InvalidArgument for an absent or infinite value, for a setting without a name, and for a name
// that is there twice.
absl::StatusOr<expr::Value> FromProto(const pb::Value& value);
absl::StatusOr<std::pair<std::string, expr::Value>> FromProto(const pb::Setting& setting);
absl::StatusOr<space::Configuration> FromProto(const pb::Configuration& configuration);

}  // namespace burnish::wire
