#include "common/wire/device.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/base/utf8_text.h"

namespace burnish::wire {
namespace {

absl::Status CheckRoof(const char* what, int threads, double per_second) {
  if (threads > 0 && std::isfinite(per_second) && per_second > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("roofs: ", what, " of ", per_second, " per second with ", threads, " threads"));
}

}  // namespace

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

pb::Roofs ToProto(const work::Roofs& roofs) {
  pb::Roofs proto;
  for (const work::Peak& peak : roofs.peaks) {
    pb::Peak& one = *proto.add_peaks();
    one.set_dtype(Utf8Text(peak.dtype));
    one.set_threads(peak.threads);
    one.set_operations_per_second(peak.operations_per_second);
  }
  for (const work::Bandwidth& bandwidth : roofs.bandwidths) {
    pb::Bandwidth& one = *proto.add_bandwidths();
    one.set_level(Utf8Text(bandwidth.level));
    one.set_capacity_bytes(bandwidth.capacity_bytes);
    one.set_threads(bandwidth.threads);
    one.set_bytes_per_second(bandwidth.bytes_per_second);
  }
  proto.set_absence(Utf8Text(roofs.absence));
  return proto;
}

absl::StatusOr<work::Roofs> FromProto(const pb::Roofs& roofs) {
  work::Roofs result;
  for (const pb::Peak& peak : roofs.peaks()) {
    RETURN_IF_ERROR(CheckRoof("a peak", peak.threads(), peak.operations_per_second()));
    result.peaks.push_back({.dtype = peak.dtype(),
                            .threads = peak.threads(),
                            .operations_per_second = peak.operations_per_second()});
  }
  for (const pb::Bandwidth& bandwidth : roofs.bandwidths()) {
    RETURN_IF_ERROR(CheckRoof("a bandwidth", bandwidth.threads(), bandwidth.bytes_per_second()));
    result.bandwidths.push_back({.level = bandwidth.level(),
                                 .capacity_bytes = bandwidth.capacity_bytes(),
                                 .threads = bandwidth.threads(),
                                 .bytes_per_second = bandwidth.bytes_per_second()});
  }
  result.absence = roofs.absence();
  return result;
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
  proto.set_isolation(Utf8Text(device.isolation));
  proto.mutable_caches()->set_l1d_bytes(device.caches.l1d_bytes);
  proto.mutable_caches()->set_l2_bytes(device.caches.l2_bytes);
  proto.mutable_caches()->set_l3_bytes(device.caches.l3_bytes);
  *proto.mutable_roofs() = ToProto(device.roofs);
  for (const spec::Metric metric : device.metrics) proto.add_metrics(spec::MetricName(metric));
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
  result.isolation = device.isolation();
  result.caches = {.l1d_bytes = device.caches().l1d_bytes(),
                   .l2_bytes = device.caches().l2_bytes(),
                   .l3_bytes = device.caches().l3_bytes()};
  ASSIGN_OR_RETURN(result.roofs, FromProto(device.roofs()));
  for (const std::string& name : device.metrics()) {
    // A newer agent may measure what nobody here can ask for.
    if (const auto metric = spec::ParseMetric(name)) result.metrics.push_back(*metric);
  }
  return result;
}

}  // namespace burnish::wire
