// Domain values as the JSON text of the `*_json` columns: the only place that knows their form.
// Reading gives DataLoss for a text that this program did not write. Pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/work/device.h"
#include "common/work/measurement.h"
#include "common/work/work_item.h"
#include "server/store/store.h"

namespace burnish::store::sql {

absl::StatusOr<work::Outcome> DecodeOutcome(const std::string& name);

// Without its roofs, which have columns of their own.
std::string EncodeDevice(const work::DeviceInfo& info);
absl::StatusOr<work::DeviceInfo> DecodeDevice(const std::string& text);

// With the class of the device, which they are true of.
std::string EncodeRoofs(const std::string& device_class, const work::Roofs& roofs);
// Nothing if they are of another class.
absl::StatusOr<std::optional<work::Roofs>> DecodeRoofs(const std::string& device_class,
                                                       const std::string& text);

std::string EncodeNamespaces(const std::vector<Namespace>& namespaces);
absl::StatusOr<std::vector<Namespace>> DecodeNamespaces(const std::string& text);

std::string EncodeEnvironment(const std::map<std::string, std::string>& environment);
absl::StatusOr<std::map<std::string, std::string>> DecodeEnvironment(const std::string& text);

std::string EncodeWork(const work::Work& work);
absl::StatusOr<work::Work> DecodeWork(const std::string& kind, const std::string& text);

// Empty: there is none.
std::string EncodeIncumbent(const std::optional<work::Incumbent>& incumbent);
absl::StatusOr<std::optional<work::Incumbent>> DecodeIncumbent(const std::string& text);

std::string EncodeTaskResult(const TaskResult& result);
absl::StatusOr<TaskResult> DecodeTaskResult(const std::string& text);

// What was measured with it stands beside it.
std::string EncodeLatency(const work::Latency& latency, const work::Figures& figures);
absl::StatusOr<work::Latency> DecodeLatency(const std::string& text);
absl::StatusOr<work::Figures> DecodeFigures(const std::string& text);

std::string EncodeCorrectness(const work::Correctness& correctness);
absl::StatusOr<work::Correctness> DecodeCorrectness(const std::string& text);

// What of a result has no column of its own.
std::string EncodeDetails(const work::Measurement& measurement);
std::string EncodeDetails(const work::Comparison& comparison);
// The details of a measurement without its samples, and how many those were.
struct StrippedDetails {
  std::string text;
  int64_t samples = 0;
};
absl::StatusOr<StrippedDetails> StripSamples(const std::string& details);
absl::Status DecodeDetails(const std::string& text, work::Measurement& measurement);
absl::Status DecodeDetails(const std::string& text, work::Comparison& comparison);

}  // namespace burnish::store::sql
