#include "server/jobs/metric_match.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/diagnostic.h"
#include "common/spec/metric.h"

namespace burnish::jobs {
namespace {

struct Need {
  std::string path;  // "limits[0]"
  spec::Metric metric;
};

std::vector<Need> NeedsOf(const spec::JobSpec& job) {
  std::vector<Need> needs;
  for (size_t i = 0; i < job.objectives.size(); ++i) {
    needs.push_back({absl::StrCat("objectives[", i, "]"), job.objectives[i].metric});
  }
  for (size_t i = 0; i < job.limits.size(); ++i) {
    for (const std::string& name : job.limits[i].names()) {
      const auto metric = spec::ParseMetric(name);
      if (metric) needs.push_back({absl::StrCat("limits[", i, "]"), *metric});
    }
  }
  return needs;
}

// Every device has a clock.
bool Measures(const work::DeviceInfo& device, spec::Metric metric) {
  return metric == spec::Metric::kLatency || metric == spec::Metric::kThroughput ||
         std::ranges::count(device.metrics, metric) > 0;
}

std::string MetricList(const work::DeviceInfo& device) {
  std::vector<std::string> names;
  for (const spec::Metric metric : spec::AllMetrics()) {
    if (Measures(device, metric)) names.emplace_back(spec::MetricName(metric));
  }
  return absl::StrJoin(names, ", ");
}

// "cpu devices measure latency, throughput, memory, error; replay devices measure …".
std::string WhatThereIs(const std::vector<work::DeviceInfo>& devices) {
  std::map<std::string, std::vector<std::string>> lists;  // by backend
  for (const work::DeviceInfo& device : devices) {
    std::vector<std::string>& known = lists[device.backend];
    if (std::string list = MetricList(device); std::ranges::count(known, list) == 0) {
      known.push_back(std::move(list));
    }
  }
  std::vector<std::string> parts;
  for (const auto& [backend, known] : lists) {
    parts.push_back(absl::StrCat(backend, " devices measure ", absl::StrJoin(known, " or ")));
  }
  return absl::StrJoin(parts, "; ");
}

}  // namespace

absl::StatusOr<Measuring> ThoseThatMeasure(const spec::JobText& text, const spec::JobSpec& job,
                                           const std::vector<work::DeviceInfo>& devices) {
  std::vector<work::DeviceInfo> left = devices;
  Measuring result;
  for (const Need& need : NeedsOf(job)) {
    const auto lacks = [&](const work::DeviceInfo& device) {
      return !Measures(device, need.metric);
    };
    if (std::ranges::all_of(left, lacks)) {
      const bool some_do = !std::ranges::all_of(devices, lacks);
      return DiagnosticStatus(
          absl::StatusCode::kInvalidArgument,
          {.file = text.file_name,
           .path = need.path,
           .message = absl::StrCat(
               "no device that matches measures ", spec::MetricName(need.metric),
               some_do ? " and the metrics before it" : "", "; ", WhatThereIs(devices)),
           .hint = "leave it out, or choose other devices: `burnish devices` shows them",
           .excerpt = ""});
    }
    std::erase_if(left, [&](const work::DeviceInfo& device) {
      if (!lacks(device)) return false;
      result.warnings.push_back(absl::StrCat(need.path, ": ", device.name, " (", device.backend,
                                             ") is left out: it does not measure ",
                                             spec::MetricName(need.metric)));
      return true;
    });
  }
  result.devices = std::move(left);
  return result;
}

}  // namespace burnish::jobs
