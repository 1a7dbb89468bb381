// space_bench: construction of search spaces from the text of job files, and access to them. Exit
// code 1 if a figure missed its target.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/cpu_time.h"
#include "common/space/neighbours.h"
#include "common/spec/job_reader.h"
#include "tests/bench/report.h"
#include "tests/bench/space/spaces.h"

namespace burnish::bench {
namespace {

using space::ConfigurationIndex;
using space::SearchSpace;

constexpr double kAccessSeconds = 1e-6;
constexpr double kNeighboursSeconds = 20e-6;
constexpr double kSampleSeconds = 1e-3;
constexpr int kRounds = 7;

absl::StatusOr<SearchSpace> Build(const std::string& text, int threads) {
  const spec::JobText job{"space.yaml", text, {}};
  absl::StatusOr<spec::JobSpec> spec = spec::ReadJob(job, spec::SourceCheck::kNotNeeded);
  if (!spec.ok()) return spec.status();
  absl::StatusOr<spec::JobSpace> built = spec::BuildSpace(job, *spec, {.threads = threads});
  if (!built.ok()) return built.status();
  return built->space;
}

// CPU seconds of one call, the best of several rounds.
template <typename Call>
double Fastest(int rounds, int calls, Call call) {
  double fastest = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const double before = ProcessCpuSeconds();
    for (int i = 0; i < calls; ++i) call();
    fastest = std::min(fastest, (ProcessCpuSeconds() - before) / calls);
  }
  return fastest;
}

void AddAccess(const std::string& name, const SearchSpace& space, Report& report) {
  constexpr int kCalls = 2000;
  RandomStream random(1, "bench");
  std::vector<ConfigurationIndex> indices;
  std::vector<space::Row> rows;
  for (int i = 0; i < kCalls; ++i) {
    indices.push_back(space.Sample(random));
    rows.push_back(space.RowAt(indices.back()));
  }
  size_t next = 0;
  uint64_t sum = 0;
  const auto index = [&] { return indices[++next % indices.size()]; };
  const auto row = [&] { return rows[++next % rows.size()].data(); };
  const double to_row = Fastest(5, kCalls, [&] { sum += space.RowAt(index())[0]; });
  const double to_index = Fastest(5, kCalls, [&] { sum += *space.IndexOfRow(row()); });
  const double neighbours =
      Fastest(5, 500, [&] { sum += HammingNeighbours(space, index()).size(); });
  const double sample = Fastest(5, 500, [&] { sum += space.Sample(random); });
  CHECK(sum != 1);
  const bool listed = space.Enumerable();
  const auto limit = [&](double seconds) {
    return listed ? std::optional(seconds) : std::optional<double>();
  };
  report.Add({.group = name,
              .name = "index to configuration",
              .value = to_row,
              .unit = "s",
              .at_least = {},
              .at_most = limit(kAccessSeconds)});
  report.Add({.group = name,
              .name = "configuration to index",
              .value = to_index,
              .unit = "s",
              .at_least = {},
              .at_most = limit(kAccessSeconds)});
  report.Add({.group = name,
              .name = "neighbours at distance 1",
              .value = neighbours,
              .unit = "s",
              .at_least = {},
              .at_most = limit(kNeighboursSeconds)});
  report.Add({.group = name,
              .name = "sample",
              .value = sample,
              .unit = "s",
              .at_least = {},
              .at_most = listed ? kAccessSeconds : kSampleSeconds});
}

absl::Status Measure(const KnownSpace& known, Report& report) {
  const std::string name(known.name);
  const std::string text = JobText(known.declaration);
  absl::StatusOr<SearchSpace> space = Build(text, 1);
  if (!space.ok()) return space.status();
  const double seconds = Fastest(kRounds, 1, [&] { space = Build(text, 1); });
  report.Add({.group = name,
              .name = "construction",
              .value = seconds,
              .unit = "s",
              .at_least = {},
              .at_most = known.most_seconds});
  const auto valid = static_cast<double>(known.valid);
  report.Add({.group = name,
              .name = "configurations",
              .value = static_cast<double>(space->size()),
              .unit = "",
              .at_least = valid,
              .at_most = valid});
  if (space->CartesianSize() != known.cartesian) {
    return absl::InternalError(absl::StrCat(name, ": product of ", space->CartesianSize()));
  }
  report.Add({.group = name,
              .name = "memory per configuration",
              .value = static_cast<double>(space->Bytes()) / valid,
              .unit = "B",
              .at_least = {},
              .at_most = 16});
  AddAccess(name, *space, report);
  return absl::OkStatus();
}

absl::Status MeasureLazy(Report& report) {
  const std::string text = JobText(LazyDeclaration());
  absl::StatusOr<SearchSpace> space = Build(text, 1);
  if (!space.ok()) return space.status();
  const double seconds = Fastest(2, 1, [&] { space = Build(text, 1); });
  report.Add({.group = "lazy",
              .name = "construction",
              .value = seconds,
              .unit = "s",
              .at_least = {},
              .at_most = 3});
  report.Add({.group = "lazy",
              .name = "configurations, estimated",
              .value = static_cast<double>(space->size()),
              .unit = "",
              .at_least = 1e7,
              .at_most = {}});
  AddAccess("lazy", *space, report);
  return absl::OkStatus();
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() != 2 || arguments[0] != "--out") {
    std::cerr << "usage: space_bench --out FILE.json\n";
    return 2;
  }
  Report report;
  report.command = "./dev bench space";
  absl::Status status;
  for (const KnownSpace& known : KnownSpaces()) status.Update(Measure(known, report));
  status.Update(MeasureLazy(report));
  if (!status.ok()) {
    std::cerr << "space_bench: " << status.message() << "\n";
    return 1;
  }
  std::ofstream(arguments[1]) << report.Json().dump(2) << "\n";
  return report.pass() ? 0 : 1;
}

}  // namespace
}  // namespace burnish::bench

int main(int argc, char** argv) {
  return burnish::bench::Main(std::vector<std::string>(argv + 1, argv + argc));
}
