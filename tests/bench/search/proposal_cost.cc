#include "tests/bench/search/proposal_cost.h"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/stats/statistics.h"
#include "server/search/replay.h"
#include "tests/bench/search/spaces.h"

namespace burnish::bench {
namespace {

constexpr int64_t kTrials = 400;

// A line of /proc/self/status; nothing if the system has no such file.
std::optional<double> Kibibytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double value = 0;
    if (word == absl::StrCat(key, ":") && status >> value) return value;
  }
  return std::nullopt;
}

// The resident memory, with the peak set back to it.
std::optional<double> StartOfPeak() {
  ::malloc_trim(0);
  std::ofstream reset("/proc/self/clear_refs");
  reset << "5" << std::flush;
  return reset ? Kibibytes("VmRSS") : std::nullopt;
}

}  // namespace

void ReportProposalCost(const std::string& group, const std::vector<double>& seconds,
                        Report& report) {
  report.Add({.group = group,
              .name = "auto, a proposal, median",
              .value = stats::Median(seconds) * 1e3,
              .unit = "ms",
              .at_most = 10});
  report.Add({.group = group,
              .name = "auto, a proposal, 99 of 100",
              .value = stats::Quantile(seconds, 0.99) * 1e3,
              .unit = "ms",
              .at_most = 100});
}

absl::Status MeasureLargeSpace(int64_t seeds, uint64_t seed_base, Report& report) {
  const std::string group = "350,000";
  const measured::Table table = SyntheticTable();
  std::vector<double> seconds;
  std::vector<double> fractions;
  double growth_kibibytes = -1;
  for (int64_t seed = 0; seed < seeds; ++seed) {
    const std::optional<double> before = StartOfPeak();
    ASSIGN_OR_RETURN(const search::ReplayRun run,
                     search::Replay(table, "auto",
                                    {.seed = seed_base + static_cast<uint64_t>(seed),
                                     .budget_trials = kTrials}));
    const std::optional<double> peak = Kibibytes("VmHWM");
    if (before && peak) growth_kibibytes = std::max(growth_kibibytes, *peak - *before);
    seconds.insert(seconds.end(), run.proposal_seconds.begin(), run.proposal_seconds.end());
    fractions.push_back(run.fraction.back());
  }
  report.Remark(absl::StrCat(group, ": a synthetic space of six parameters with a smooth time, ",
                             kTrials, " trials"));
  ReportProposalCost(group, seconds, report);
  report.Add(
      {.group = group, .name = "auto, fraction found, median", .value = stats::Median(fractions)});
  if (growth_kibibytes < 0) {
    report.Remark("memory not measured: the system does not set back its peak");
  } else {
    report.Add({.group = group,
                .name = "auto, growth of resident memory at its peak",
                .value = growth_kibibytes / 1024,
                .unit = "MiB"});
  }
  return absl::OkStatus();
}

}  // namespace burnish::bench
