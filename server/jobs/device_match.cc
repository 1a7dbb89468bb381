#include "server/jobs/device_match.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "server/templates/lowering.h"

namespace burnish::jobs {
namespace {

absl::Status NoMatch(const spec::JobSpec& spec, const std::vector<store::DeviceRow>& devices) {
  Diagnostic diagnostic;
  if (devices.empty()) {
    diagnostic.message = "no device is connected";
    diagnostic.hint = "start burnish-agent --server HOST:PORT on a machine that has one";
    return DiagnosticStatus(absl::StatusCode::kFailedPrecondition, diagnostic);
  }
  diagnostic.path = "devices";
  diagnostic.message = "no device matches";
  for (const store::DeviceRow& device : devices) {
    absl::StrAppend(&diagnostic.message, "\n  ", device.device.id.value(), " (",
                    device.device.info.name, "): ", WhyNot(spec, device));
  }
  if (std::ranges::none_of(devices, &store::DeviceRow::live)) {
    diagnostic.hint = "no device is connected: start burnish-agent --server HOST:PORT";
  }
  return DiagnosticStatus(absl::StatusCode::kFailedPrecondition, diagnostic);
}

}  // namespace

std::string WhyNot(const spec::JobSpec& spec, const store::DeviceRow& device) {
  const work::DeviceInfo& info = device.device.info;
  if (spec::IsolationLevelOf(info.isolation) < spec.isolation) {
    return absl::StrCat(
        "its isolation is '", spec::IsolationLevelName(spec::IsolationLevelOf(info.isolation)),
        "'; measure.isolation demands '", spec::IsolationLevelName(spec.isolation), "'");
  }
  const absl::StatusOr<bool> selected = work::SelectorMatches(spec.devices, info);
  if (!selected.ok()) {
    return absl::StrCat("the selector fails: ", std::string(selected.status().message()));
  }
  if (!*selected) return absl::StrCat("the selector `", spec.devices.text(), "` says no");
  for (const spec::Kernel& kernel : spec.kernels) {
    if (std::ranges::count(info.languages, kernel.language) > 0) continue;
    return absl::StrCat("cannot compile ", kernel.language,
                        info.unavailable_reason.empty() ? "" : ": ", info.unavailable_reason);
  }
  if (!info.unavailable_reason.empty()) return info.unavailable_reason;
  if (spec.workload) {
    const auto lowered = templates::Lower(*spec.workload, templates::TargetOf(info, spec.threads));
    if (!lowered.ok()) return std::string(lowered.status().message());
  }
  if (!device.live) return "not connected";
  return "";
}

absl::StatusOr<std::vector<work::DeviceInfo>> MatchingClasses(
    const spec::JobSpec& spec, const std::vector<store::DeviceRow>& devices,
    absl::Time seen_since) {
  std::vector<work::DeviceInfo> classes;
  std::vector<work::DeviceInfo> away;
  for (store::DeviceRow device : devices) {
    std::vector<work::DeviceInfo>& found = device.live ? classes : away;
    if (!device.live && device.last_seen < seen_since) continue;
    device.live = true;
    const work::DeviceInfo& info = device.device.info;
    if (std::ranges::count(found, info.device_class, &work::DeviceInfo::device_class) > 0) continue;
    if (WhyNot(spec, device).empty()) found.push_back(info);
  }
  if (!classes.empty()) return classes;
  if (!away.empty()) return away;
  return NoMatch(spec, devices);
}

}  // namespace burnish::jobs
