#include "client/cli/roofline.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/output.h"
#include "client/cli/report.h"
#include "common/base/diagnostic.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"
#include "common/wire/device.h"

namespace burnish::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string CapacityText(int64_t bytes) {
  if (bytes >= int64_t{10} << 30) return absl::StrCat(bytes >> 30, " GiB");
  if (bytes >= int64_t{1} << 20) return absl::StrCat(bytes >> 20, " MiB");
  return absl::StrCat(bytes >> 10, " KiB");
}

std::string ThreadsText(int threads) {
  return threads == 1 ? "1 thread" : absl::StrCat(threads, " threads");
}

// Of one thread, and of the most if that is more.
std::vector<int> ThreadCounts(const Roofline& roofline) {
  if (roofline.threads <= 1) return {1};
  return {1, roofline.threads};
}

std::string PeakTable(const Roofline& roofline) {
  std::vector<std::vector<std::string>> rows = {{"arithmetic"}};
  for (const int threads : ThreadCounts(roofline)) rows[0].push_back(ThreadsText(threads));
  for (const work::Peak& peak : PeaksWith(roofline, 1)) {
    std::vector<std::string>& row = rows.emplace_back(std::vector{peak.dtype});
    for (const int threads : ThreadCounts(roofline)) {
      const auto measured = work::PeakOf(roofline.roofs, peak.dtype, threads);
      row.push_back(measured ? PeakText({peak.dtype, threads, *measured}) : "");
    }
  }
  return FormatTable(rows);
}

// The ridge is where a kernel stops being bound by that level, in operations per byte.
std::string BandwidthTable(const Roofline& roofline) {
  std::vector<std::vector<std::string>> rows = {{"reading", "holds"}};
  for (const int threads : ThreadCounts(roofline)) rows[0].push_back(ThreadsText(threads));
  const std::vector<work::Peak> peaks = PeaksWith(roofline, roofline.threads);
  for (const work::Peak& peak : peaks) rows[0].push_back(absl::StrCat("ridge ", peak.dtype));
  const std::vector<work::Bandwidth> single = BandwidthsWith(roofline, 1);
  const std::vector<work::Bandwidth> all = BandwidthsWith(roofline, roofline.threads);
  for (size_t i = 0; i < std::min(single.size(), all.size()); ++i) {
    std::vector<std::string>& row =
        rows.emplace_back(std::vector{all[i].level, CapacityText(all[i].capacity_bytes)});
    row.push_back(FormatRate(single[i].bytes_per_second, "B/s"));
    if (roofline.threads > 1) row.push_back(FormatRate(all[i].bytes_per_second, "B/s"));
    for (const work::Peak& peak : peaks) {
      row.push_back(
          absl::StrFormat("%.1f op/B", peak.operations_per_second / all[i].bytes_per_second));
    }
  }
  return FormatTable(rows);
}

std::string PointTable(const Roofline& roofline) {
  if (roofline.points.empty()) {
    return "no points: no job that says its `work: {flops: …, bytes: …}` has a result here\n";
  }
  std::vector<std::vector<std::string>> rows = {
      {"", "best of", "task", "op/B", "speed", "of roof"}};
  char letter = 'A';
  for (const RooflinePoint& point : roofline.points) {
    rows.push_back({std::string(1, letter), point.name, point.task_id,
                    absl::StrFormat("%.3g", point.operations_per_byte),
                    FormatRate(point.operations_per_second, "OP/s"), ShareText(point.roof_share)});
    letter = letter == 'Z' ? '*' : letter == '*' ? '*' : static_cast<char>(letter + 1);
  }
  return FormatTable(rows);
}

}  // namespace

absl::StatusOr<Roofline> MakeRoofline(const pb::Device& device, const pb::ListReply& jobs) {
  ASSIGN_OR_RETURN(work::DeviceInfo info, wire::FromProto(device.info()));
  if (!info.roofs.known()) {
    return DiagnosticStatus(
        absl::StatusCode::kFailedPrecondition,
        {.message = absl::StrCat(
             "the roofs of ", device.device_id(), " are not known: ",
             info.roofs.absence.empty() ? "its agent has not said any" : info.roofs.absence),
         .hint = "an agent measures them when it starts, unless told not to: burnish-agent "
                 "--measure-roofs auto"});
  }
  Roofline roofline{.device_id = device.device_id(), .device_name = info.name};
  roofline.threads = work::MostThreads(info.roofs);
  roofline.roofs = std::move(info.roofs);
  std::set<std::string> problems;
  for (const pb::JobSnapshot& job : jobs.jobs()) {
    for (const pb::TaskSnapshot& task : job.tasks()) {
      const double seconds = task.best().latency_seconds();
      if (task.device().device_id() != device.device_id() || seconds <= 0 || task.flops() <= 0 ||
          task.bytes() <= 0 || !problems.insert(task.problem()).second) {
        continue;
      }
      RooflinePoint point{.name = job.name(),
                          .task_id = task.task_id(),
                          .configuration = ConfigurationText(task.best().configuration()),
                          .operations_per_byte = task.flops() / task.bytes(),
                          .operations_per_second = task.flops() / seconds};
      if (task.best().roof_share() > 0) point.roof_share = task.best().roof_share();
      roofline.points.push_back(std::move(point));
    }
  }
  return roofline;
}

Json RooflineDocument(const Roofline& roofline) {
  Json peaks = Json::array();
  for (const work::Peak& peak : roofline.roofs.peaks) {
    peaks.push_back({{"dtype", peak.dtype},
                     {"threads", peak.threads},
                     {"operations_per_second", peak.operations_per_second}});
  }
  Json bandwidths = Json::array();
  Json ridges = Json::array();
  for (const work::Bandwidth& bandwidth : roofline.roofs.bandwidths) {
    bandwidths.push_back({{"level", bandwidth.level},
                          {"capacity_bytes", bandwidth.capacity_bytes},
                          {"threads", bandwidth.threads},
                          {"bytes_per_second", bandwidth.bytes_per_second}});
    for (const work::Peak& peak : PeaksWith(roofline, bandwidth.threads)) {
      ridges.push_back(
          {{"level", bandwidth.level},
           {"dtype", peak.dtype},
           {"threads", bandwidth.threads},
           {"operations_per_byte", peak.operations_per_second / bandwidth.bytes_per_second}});
    }
  }
  Json points = Json::array();
  for (const RooflinePoint& point : roofline.points) {
    points.push_back({{"name", point.name},
                      {"task_id", point.task_id},
                      {"configuration", point.configuration},
                      {"operations_per_byte", point.operations_per_byte},
                      {"operations_per_second", point.operations_per_second},
                      {"roof_share", point.roof_share ? Json(*point.roof_share) : Json()}});
  }
  return {{"device_id", roofline.device_id},
          {"name", roofline.device_name},
          {"peaks", peaks},
          {"bandwidths", bandwidths},
          {"ridges", ridges},
          {"points", points}};
}

std::string RooflineTables(const Roofline& roofline) {
  return absl::StrCat(roofline.device_id, " · ", roofline.device_name, "\n\n", PeakTable(roofline),
                      "\n", BandwidthTable(roofline), "\n", PointTable(roofline));
}

double LogAxis::Place(double value) const { return std::log(value / low) / std::log(high / low); }
double LogAxis::At(double place) const { return low * std::pow(high / low, place); }
std::vector<double> LogAxis::Decades() const {
  std::vector<double> decades;
  for (int power = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
       power <= std::floor(std::log10(high) + 1e-9); ++power) {
    decades.push_back(std::pow(10.0, power));
  }
  return decades;
}

RooflineAxes AxesOf(const Roofline& roofline) {
  double slowest = FastestBandwidth(roofline, roofline.threads);
  double lowest_peak = HighestPeak(roofline, roofline.threads);
  for (const work::Bandwidth& one : roofline.roofs.bandwidths) {
    slowest = std::min(slowest, one.bytes_per_second);
  }
  for (const work::Peak& one : roofline.roofs.peaks) {
    lowest_peak = std::min(lowest_peak, one.operations_per_second);
  }
  // So far left that even the fastest level is a slope, so far right that the slowest one is not.
  const double highest_peak = HighestPeak(roofline, roofline.threads);
  LogAxis x{.low = lowest_peak / FastestBandwidth(roofline, roofline.threads) / 8,
            .high = highest_peak / slowest * 4};
  LogAxis y{.low = x.low * slowest, .high = highest_peak * 2};
  for (const RooflinePoint& point : roofline.points) {
    x.low = std::min(x.low, point.operations_per_byte / 2);
    x.high = std::max(x.high, point.operations_per_byte * 2);
    y.low = std::min(y.low, point.operations_per_second / 2);
    y.high = std::max(y.high, point.operations_per_second * 2);
  }
  return {.operations_per_byte = x, .operations_per_second = y};
}

std::vector<work::Peak> PeaksWith(const Roofline& roofline, int threads) {
  std::vector<work::Peak> peaks = roofline.roofs.peaks;
  std::erase_if(peaks, [&](const work::Peak& peak) { return peak.threads != threads; });
  return peaks;
}

std::vector<work::Bandwidth> BandwidthsWith(const Roofline& roofline, int threads) {
  std::vector<work::Bandwidth> bandwidths = roofline.roofs.bandwidths;
  std::erase_if(bandwidths, [&](const work::Bandwidth& one) { return one.threads != threads; });
  return bandwidths;
}

double HighestPeak(const Roofline& roofline, int threads) {
  double highest = 0;
  for (const work::Peak& peak : PeaksWith(roofline, threads)) {
    highest = std::max(highest, peak.operations_per_second);
  }
  return highest;
}

double FastestBandwidth(const Roofline& roofline, int threads) {
  double fastest = 0;
  for (const work::Bandwidth& bandwidth : BandwidthsWith(roofline, threads)) {
    fastest = std::max(fastest, bandwidth.bytes_per_second);
  }
  return fastest;
}

std::string PeakText(const work::Peak& peak) {
  return FormatRate(peak.operations_per_second, peak.dtype == "i8" ? "OP/s" : "FLOP/s");
}

std::string DecadeText(double value) {
  static constexpr std::pair<double, const char*> kPrefixes[] = {
      {1e15, " P"}, {1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}};
  for (const auto& [unit, prefix] : kPrefixes) {
    if (value >= unit * 0.999) return absl::StrFormat("%.3g%s", value / unit, prefix);
  }
  return absl::StrFormat("%.3g", value);
}

std::string ShareText(std::optional<double> share) {
  return share.has_value() ? absl::StrFormat("%.0f %%", 100 * *share) : "";
}

}  // namespace burnish::cli
