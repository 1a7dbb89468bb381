#include "tests/bench/search/pareto.h"

#include <algorithm>
#include <atomic>
#include <iostream>
#include <map>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/cpu_time.h"
#include "common/base/status_macros.h"
#include "tests/bench/search/pareto_spaces.h"

namespace burnish::bench {
namespace {

constexpr int64_t kTrials = 400;

// The points that no other one dominates, and their volume.
class Found {
 public:
  explicit Found(const ParetoSpace& space) : space_(space) {}

  void Add(const stats::Point& point) {
    front_.push_back(point);
    std::vector<stats::Point> front;
    for (const size_t i : stats::ParetoFront(front_)) front.push_back(std::move(front_[i]));
    front_ = std::move(front);
  }
  double Share() const {
    return stats::Hypervolume(front_, space_.reference) / space_.front_volume;
  }

 private:
  const ParetoSpace& space_;
  std::vector<stats::Point> front_;
};

absl::StatusOr<std::unique_ptr<search::Strategy>> Make(const ParetoSpace& space,
                                                       const std::string& strategy, uint64_t seed) {
  return search::MakeStrategy(
      strategy, {.space = &space.space, .seed = seed, .budget_trials = kTrials, .objectives = 2});
}

absl::StatusOr<search::ReplayRun> Run(const ParetoSpace& space, const std::string& strategy,
                                      uint64_t seed) {
  ASSIGN_OR_RETURN(const std::unique_ptr<search::Strategy> search, Make(space, strategy, seed));
  search::ReplayRun run;
  Found found(space);
  for (int64_t number = 0; number < kTrials; ++number) {
    const double before = ThreadCpuSeconds();
    const auto index = search->Propose(TrialNumber(number));
    run.proposal_seconds.push_back(ThreadCpuSeconds() - before);
    if (!index) break;
    const stats::Point costs = space.costs(*index);
    const search::Observation seen = {
        .trial = TrialNumber(number),
        .index = *index,
        .outcome = costs.empty() ? work::Outcome::kLaunchRefused : work::Outcome::kOk,
        .costs = costs};
    search->Observe(std::span(&seen, 1));
    if (!costs.empty()) found.Add(costs);
    run.fraction.push_back(found.Share());
  }
  return run;
}

absl::StatusOr<search::Standing> RunAll(const ParetoSpace& space, const std::string& strategy,
                                        const Effort& effort) {
  std::vector<absl::StatusOr<search::ReplayRun>> runs(static_cast<size_t>(effort.seeds));
  {
    std::atomic<size_t> next = 0;
    const auto work = [&] {
      for (size_t i = next++; i < runs.size(); i = next++) {
        runs[i] = Run(space, strategy, effort.seed_base + i);
      }
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(work);
  }
  search::Standing standing;
  for (absl::StatusOr<search::ReplayRun>& run : runs) {
    RETURN_IF_ERROR(run.status());
    standing.fraction.push_back(std::move(run->fraction));
    standing.proposal_seconds.insert(standing.proposal_seconds.end(), run->proposal_seconds.begin(),
                                     run->proposal_seconds.end());
  }
  return standing;
}

void ShowRow(Bench& bench, const ParetoSpace& space, const std::string& strategy,
             const search::Standing& standing) {
  std::cout << absl::StreamFormat("  %-10s", strategy);
  nlohmann::json at = nlohmann::json::object();
  for (const int64_t count : {25, 50, 100, 200, 400}) {
    std::cout << absl::StreamFormat(" %6.3f", standing.Median(count));
    at[absl::StrCat(count)] = {{"median", standing.Median(count)},
                               {"worst", standing.Quantile(count, 0)}};
  }
  const double median = stats::Median(standing.proposal_seconds) * 1e3;
  const double most = stats::Quantile(standing.proposal_seconds, 0.99) * 1e3;
  std::cout << absl::StreamFormat("   %.1f ms, 99 of 100 %.1f ms", median, most) << std::endl;
  bench.rows.push_back({{"section", "pareto"},
                        {"space", space.name},
                        {"row", strategy},
                        {"at", at},
                        {"proposal_ms", {{"median", median}, {"99%", most}}}});
}

}  // namespace

absl::Status Pareto(Bench& bench) {
  std::cout << "\nshare of the front's hypervolume after so many trials, in made-up spaces: median "
               "over the seeds\n";
  for (const ParetoSpace& space : ParetoSpaces()) {
    ASSIGN_OR_RETURN(const auto of_auto, Make(space, "auto", 0));
    const std::string auto_name(of_auto->Name());
    std::cout << absl::StreamFormat("%s: %d configurations, %d on the front; auto is %s\n",
                                    space.name, space.space.size(), space.front_size, auto_name);
    std::map<std::string, search::Standing> standings;
    std::vector<std::string> names = {"random", auto_name};
    if (!bench.quick) names = {"random", "parego", "nsga2"};
    for (const std::string& name : names) {
      ASSIGN_OR_RETURN(standings[name], RunAll(space, name, bench.lab.effort()));
      ShowRow(bench, space, name, standings[name]);
    }
    bench.report.Add({.group = "pareto",
                      .name = absl::StrCat(space.name, ", auto at 100 above random at 400"),
                      .value = standings[auto_name].Median(100) - standings["random"].Median(400),
                      .at_least = 0});
  }
  return absl::OkStatus();
}

}  // namespace burnish::bench
