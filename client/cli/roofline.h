// What a device can do at most and how near to it the best kernels come: the figures, and the
// diagram of them, operations per second over operations per byte. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "burnish/v1/job_service.pb.h"
#include "common/work/roofs.h"
#include "nlohmann/json.hpp"

namespace burnish::cli {

namespace pb = burnish::v1;

// The best configuration of a problem on the device.
struct RooflinePoint {
  std::string name;  // of the job
  std::string task_id;
  std::string configuration;
  double operations_per_byte = 0;
  double operations_per_second = 0;
  std::optional<double> roof_share;
};

struct Roofline {
  std::string device_id;
  std::string device_name;
  work::Roofs roofs;
  int threads = 0;                    // the most that were measured with
  std::vector<RooflinePoint> points;  // newest job first, a problem once
};

// FailedPrecondition, with the reason, for a device without roofs. Of the jobs' tasks those count
// that the device served last and that say what they have to do.
absl::StatusOr<Roofline> MakeRoofline(const pb::Device& device, const pb::ListReply& jobs);

nlohmann::ordered_json RooflineDocument(const Roofline& roofline);
// For people: tables of the roofs and of the points.
std::string RooflineTables(const Roofline& roofline);

// The diagram as text, points as letters in the order of the table.
std::string RooflineChart(const Roofline& roofline);
std::string RooflineSvg(const Roofline& roofline);

// --- for the diagrams ---

// A logarithmic axis that covers whole decades' fractions as they come.
struct LogAxis {
  double low = 1;
  double high = 10;
  // 0 at `low`, 1 at `high`.
  double Place(double value) const;
  double At(double place) const;
  // The powers of ten within.
  std::vector<double> Decades() const;
};

struct RooflineAxes {
  LogAxis operations_per_byte;
  LogAxis operations_per_second;
};
RooflineAxes AxesOf(const Roofline& roofline);

// Of the figures with so many threads, in the order measured.
std::vector<work::Peak> PeaksWith(const Roofline& roofline, int threads);
std::vector<work::Bandwidth> BandwidthsWith(const Roofline& roofline, int threads);
double HighestPeak(const Roofline& roofline, int threads);
double FastestBandwidth(const Roofline& roofline, int threads);
// "118.2 GFLOP/s"; operations on integers are no FLOP.
std::string PeakText(const work::Peak& peak);
// "10 G": a power of ten with its prefix.
std::string DecadeText(double value);
std::string ShareText(std::optional<double> share);

}  // namespace burnish::cli
