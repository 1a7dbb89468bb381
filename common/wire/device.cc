#include "common/wire/device.h"

#include "common/base/utf8_text.h"

namespace burnish::wire {

pb::Environment EnvironmentToProto(const std::map<std::string, std::string>& environment) {
  pb::Environment proto;
  for (const auto& [key, value] : environment) {
    (*proto.mutable_entries())[Utf8Text(key)] = Utf8Text(value);
  }
  return proto;
}

std::map<std::string, std::string> EnvironmentFromProto(const pb::Environment& environment) {
  return {environment.entries().begin(), environment.entries().end()};
}

pb::DeviceInfo ToProto(const work::DeviceInfo& device) {
  pb::DeviceInfo proto;
  proto.set_backend(device.backend);
  proto.set_index(device.index);
  proto.set_name(Utf8Text(device.name));
  proto.set_device_class(Utf8Text(device.device_class));
  proto.set_vendor(Utf8Text(device.vendor));
  proto.set_arch(device.arch);
  proto.set_cores(device.cores);
  proto.set_memory_bytes(device.memory_bytes);
  for (const std::string& isa : device.isa) proto.add_isa(isa);
  for (const std::string& language : device.languages) proto.add_languages(language);
  for (const auto& [key, value] : device.labels) {
    (*proto.mutable_labels())[Utf8Text(key)] = Utf8Text(value);
  }
  proto.set_exclusion_group(device.exclusion_group);
  *proto.mutable_environment() = EnvironmentToProto(device.environment);
  proto.set_unavailable_reason(Utf8Text(device.unavailable_reason));
  return proto;
}

absl::StatusOr<work::DeviceInfo> FromProto(const pb::DeviceInfo& device) {
  if (device.backend().empty()) return absl::InvalidArgumentError("device.backend: missing");
  if (device.device_class().empty()) {
    return absl::InvalidArgumentError("device.device_class: missing");
  }
  work::DeviceInfo result;
  result.backend = device.backend();
  result.index = device.index();
  result.name = device.name();
  result.device_class = device.device_class();
  result.vendor = device.vendor();
  result.arch = device.arch();
  result.cores = device.cores();
  result.memory_bytes = device.memory_bytes();
  result.isa.assign(device.isa().begin(), device.isa().end());
  result.languages.assign(device.languages().begin(), device.languages().end());
  result.labels.insert(device.labels().begin(), device.labels().end());
  result.exclusion_group = device.exclusion_group();
  result.environment = EnvironmentFromProto(device.environment());
  result.unavailable_reason = device.unavailable_reason();
  return result;
}

}  // namespace burnish::wire
