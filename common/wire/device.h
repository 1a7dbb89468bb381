// Devices and their environment: domain <-> protobuf. Pure functions.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "burnish/v1/device.pb.h"
#include "common/work/device.h"

namespace burnish::wire {

namespace pb = burnish::v1;

pb::Environment EnvironmentToProto(const std::map<std::string, std::string>& environment);
std::map<std::string, std::string> EnvironmentFromProto(const pb::Environment& environment);

pb::Roofs ToProto(const work::Roofs& roofs);
// InvalidArgument for figures that nothing measures: not positive, or not finite.
absl::StatusOr<work::Roofs> FromProto(const pb::Roofs& roofs);

pb::DeviceInfo ToProto(const work::DeviceInfo& device);
// InvalidArgument without a backend or a device class: a device is known by them.
absl::StatusOr<work::DeviceInfo> FromProto(const pb::DeviceInfo& device);

}  // namespace burnish::wire
