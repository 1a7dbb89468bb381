#include "tests/bench/search/sections.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/status_macros.h"
#include "tests/bench/search/pareto.h"
#include "tests/bench/search/proposal_cost.h"

namespace burnish::bench {
namespace {

using Counts = std::vector<int64_t>;

constexpr char kPeersFile[] = BURNISH_SOURCE_DIR "/tests/bench/peers/curves.json";

Counts CountsUpTo(int64_t budget_trials) {
  Counts counts = {25, 50, 100, 200, 400};
  std::erase_if(counts, [&](int64_t count) { return count > budget_trials; });
  return counts;
}

void PrintCells(const std::string& label, const std::vector<std::string>& cells) {
  std::cout << absl::StreamFormat("%-36s", label);
  for (const std::string& cell : cells) std::cout << absl::StreamFormat(" %-22s", cell);
  std::cout << std::endl;
}

void PrintHeader(const std::string& title, const Counts& counts) {
  std::cout << "\n";
  std::vector<std::string> cells;
  for (const int64_t count : counts) cells.push_back(absl::StrCat(count));
  PrintCells(title, cells);
}

void PrintMeans(const std::string& label, const Result& result, const Counts& counts) {
  std::vector<std::string> cells;
  for (const int64_t count : counts) cells.push_back(absl::StrFormat("%.3f", result.Mean(count)));
  PrintCells(label, cells);
}

void PrintSpread(const Lab& lab, const Result& result, const Counts& counts) {
  std::vector<std::string> intervals;
  std::vector<std::string> worst;
  std::vector<std::string> names;
  for (const int64_t count : counts) {
    const stats::Interval interval = search::MeanInterval(result.standings, count);
    const search::Summary summary = search::Summarise(result.standings, count);
    intervals.push_back(absl::StrFormat("%.3f to %.3f", interval.low, interval.high));
    worst.push_back(absl::StrFormat("%.3f", summary.worst));
    names.push_back(lab.spaces()[result.spaces[summary.worst_space]].name());
  }
  PrintCells("  95 %", intervals);
  PrintCells("  worst space", worst);
  PrintCells("", names);
}

void KeepRow(Bench& bench, const std::string& section, const std::string& label,
             const Result& result, const Counts& counts) {
  nlohmann::json at = nlohmann::json::object();
  for (const int64_t count : counts) {
    const stats::Interval interval = search::MeanInterval(result.standings, count);
    const search::Summary summary = search::Summarise(result.standings, count);
    nlohmann::json medians = nlohmann::json::object();
    for (size_t i = 0; i < result.spaces.size(); ++i) {
      medians[bench.lab.spaces()[result.spaces[i]].name()] = result.standings[i].Median(count);
    }
    at[absl::StrCat(count)] = {{"mean", summary.mean},
                               {"interval", {interval.low, interval.high}},
                               {"worst", summary.worst},
                               {"medians", medians}};
  }
  bench.rows.push_back({{"section", section}, {"row", label}, {"at", at}});
}

void ShowRow(Bench& bench, const std::string& section, const std::string& label,
             const Result& result, const Counts& counts) {
  PrintMeans(label, result, counts);
  KeepRow(bench, section, label, result, counts);
}

// How much less `result` finds than `base`, in the mean.
void AddLoss(Bench& bench, const std::string& section, const std::string& name, const Result& base,
             const Result& result, int64_t count, double at_most) {
  if (count > bench.lab.effort().budget_trials) return;
  bench.report.Add({.group = section,
                    .name = absl::StrCat(name, " at ", count),
                    .value = base.Mean(count) - result.Mean(count),
                    .unit = "",
                    .at_most = at_most});
}

// What `auto` has to find.
void AddTargets(Bench& bench, const std::string& section, const std::string& name,
                const Result& result) {
  const std::map<int64_t, double> targets = {{25, 0.83}, {50, 0.89}, {100, 0.95}, {200, 0.98}};
  for (const auto& [count, target] : targets) {
    if (count > bench.lab.effort().budget_trials) continue;
    bench.report.Add({.group = section,
                      .name = absl::StrCat(name, " at ", count),
                      .value = result.Mean(count),
                      .at_least = target});
  }
}

absl::Status AllStrategies(Bench& bench) {
  const Counts counts = CountsUpTo(bench.lab.effort().budget_trials);
  PrintHeader("strategies", counts);
  const std::vector<std::string> names =
      bench.quick ? std::vector<std::string>{"auto", "random", "local"} : search::StrategyNames();
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const Result result, bench.lab.Run({.strategy = name}));
    ShowRow(bench, "strategies", name, result, counts);
    PrintSpread(bench.lab, result, counts);
  }
  ASSIGN_OR_RETURN(const Result result, bench.lab.Run({}));
  AddTargets(bench, "strategies", "auto, mean", result);
  return absl::OkStatus();
}

std::vector<search::Exploration> Explorations() {
  std::vector<search::Exploration> all;
  for (const size_t samples : {5, 8}) {
    for (const double share : {0.15, 0.3}) {
      for (const double margin : {0.0, 0.4}) {
        all.push_back({.samples = samples, .share_of_neighbours = share, .margin = margin});
      }
    }
  }
  return all;
}

// Each kernel with the constants that do best on the other kernels.
absl::Status LeaveOneKernelOut(Bench& bench) {
  const std::vector<search::Exploration> explorations = Explorations();
  std::vector<Result> results;
  for (const search::Exploration& exploration : explorations) {
    ASSIGN_OR_RETURN(results.emplace_back(), bench.lab.Run({.exploration = exploration}));
  }
  Result chosen;
  const std::vector<Space>& spaces = bench.lab.spaces();
  for (size_t space = 0; space < spaces.size(); ++space) {
    std::vector<size_t> others;
    for (size_t other = 0; other < spaces.size(); ++other) {
      if (spaces[other].kernel != spaces[space].kernel) others.push_back(other);
    }
    const auto score = [&](const Result& result) {
      const Result there = Only(result, others);
      return there.Mean(25) + there.Mean(50) + there.Mean(100);
    };
    const auto best = std::ranges::max_element(results, {}, score);
    chosen.spaces.push_back(space);
    chosen.standings.push_back(best->standings[space]);
    const search::Exploration& exploration = explorations[best - results.begin()];
    bench.report.Remark(absl::StrFormat(
        "constants for %s: %d samples, %.2f of the proposals beside the best, margin %.1f",
        spaces[space].name(), exploration.samples, exploration.share_of_neighbours,
        exploration.margin));
  }
  const Counts counts = CountsUpTo(bench.lab.effort().budget_trials);
  PrintHeader("constants", counts);
  ShowRow(bench, "constants", "chosen on the other kernels", chosen, counts);
  PrintSpread(bench.lab, chosen, counts);
  AddTargets(bench, "constants", "chosen on the other kernels, mean", chosen);
  return absl::OkStatus();
}

absl::Status Pending(Bench& bench) {
  const Counts counts = CountsUpTo(bench.lab.effort().budget_trials);
  ASSIGN_OR_RETURN(const Result one, bench.lab.Run({}));
  ASSIGN_OR_RETURN(const Result eight, bench.lab.Run({.pending = 8}));
  PrintHeader("pending", counts);
  ShowRow(bench, "pending", "one at a time", one, counts);
  ShowRow(bench, "pending", "8 pending", eight, counts);
  AddLoss(bench, "pending", "lost with 8 pending", one, eight, 25, 0.03);
  AddLoss(bench, "pending", "lost with 8 pending", one, eight, 50, 0.03);
  AddLoss(bench, "pending", "lost with 8 pending", one, eight, 100, 0.01);
  return absl::OkStatus();
}

absl::Status TrueHistory(Bench& bench) {
  const std::string section = "history";
  const Counts counts = {1, 5, 10, 25, 50, 100};
  ASSIGN_OR_RETURN(const Result with, bench.lab.Run({.history = History::kTrue}));
  ASSIGN_OR_RETURN(const Result all_without, bench.lab.Run({}));
  const Result without = Only(all_without, with.spaces);
  Result look_up{.spaces = with.spaces};
  const auto histories = HistoriesOf(bench.lab.spaces(), History::kTrue);
  for (const size_t space : with.spaces) {
    look_up.standings.push_back(
        {.fraction = {MeanRankCurve(bench.lab.spaces()[space], histories[space])}});
  }
  PrintHeader("history of other devices", counts);
  ShowRow(bench, section, "auto with history", with, counts);
  PrintSpread(bench.lab, with, counts);
  ShowRow(bench, section, "look-up in mean-rank order", look_up, counts);
  ShowRow(bench, section, "auto without", without, counts);
  const std::map<int64_t, double> targets = {{1, 0.76}, {10, 0.90}, {25, 0.93}};
  for (const auto& [count, target] : targets) {
    bench.report.Add({.group = section,
                      .name = absl::StrCat("mean at ", count),
                      .value = with.Mean(count),
                      .at_least = target});
  }
  for (const int64_t count : {1, 10, 25, 50}) {
    AddLoss(bench, section, "lost to the mean-rank order", look_up, with, count, 0.01);
  }
  AddLoss(bench, section, "lost to no history", without, with, 100, 0);
  double most = -1;
  for (size_t i = 0; i < with.spaces.size(); ++i) {
    most = std::max(most, without.standings[i].Median(100) - with.standings[i].Median(100));
  }
  bench.report.Add({.group = section,
                    .name = "most lost to no history in a space at 100",
                    .value = most,
                    .at_most = 0.03});
  return absl::OkStatus();
}

absl::Status WrongHistory(Bench& bench) {
  const std::string section = "wrong";
  const Counts counts = {10, 25, 50, 100};
  ASSIGN_OR_RETURN(const Result all_without, bench.lab.Run({}));
  PrintHeader("wrong history", counts);
  const std::vector<std::pair<std::string, History>> kinds = {
      {"another kernel's", History::kOtherKernel},
      {"inverted times", History::kInverted},
      {"permuted times", History::kPermuted}};
  for (const auto& [name, kind] : kinds) {
    ASSIGN_OR_RETURN(const Result with, bench.lab.Run({.history = kind}));
    const Result without = Only(all_without, with.spaces);
    ShowRow(bench, section, absl::StrCat(name, ", ", with.spaces.size(), " spaces"), with, counts);
    ShowRow(bench, section, "  none there", without, counts);
    AddLoss(bench, section, absl::StrCat("lost by ", name), without, with, 50, 0.02);
    AddLoss(bench, section, absl::StrCat("lost by ", name), without, with, 100, 0.01);
  }
  return absl::OkStatus();
}

absl::Status Noise(Bench& bench) {
  const Counts counts = CountsUpTo(bench.lab.effort().budget_trials);
  ASSIGN_OR_RETURN(const Result still, bench.lab.Run({}));
  ASSIGN_OR_RETURN(const Result noisy, bench.lab.Run({.noise = true}));
  PrintHeader("noise", counts);
  ShowRow(bench, "noise", "mean of the recorded runs", still, counts);
  ShowRow(bench, "noise", "one recorded run", noisy, counts);
  return absl::OkStatus();
}

// The mean over the spaces that a peer was run on, beside ours on the same ones.
absl::Status ShowPeer(Bench& bench, const nlohmann::json& spaces, const std::string& peer,
                      const Result& all, const Counts& counts) {
  std::vector<size_t> shared;
  for (const size_t space : all.spaces) {
    const std::string& name = bench.lab.spaces()[space].name();
    if (spaces.contains(name) && spaces[name].contains(peer)) shared.push_back(space);
  }
  if (shared.empty()) return absl::OkStatus();
  nlohmann::json at = nlohmann::json::object();
  std::vector<std::string> cells;
  const Result ours = Only(all, shared);
  for (const int64_t count : counts) {
    const std::string key = absl::StrCat(count);
    double sum = 0;
    bool known = true;
    for (const size_t space : shared) {
      const nlohmann::json& fractions = spaces[bench.lab.spaces()[space].name()][peer];
      known = known && fractions.contains(key) && fractions[key].is_number();
      if (known) sum += fractions[key].get<double>();
    }
    cells.push_back("-");
    if (!known) continue;
    const double mean = sum / static_cast<double>(shared.size());
    cells.back() = absl::StrFormat("%.3f (ours %.3f)", mean, ours.Mean(count));
    at[key] = {{"mean", mean}, {"ours", ours.Mean(count)}};
  }
  const std::string label = absl::StrCat(peer, ", ", shared.size(), " spaces");
  PrintCells(label, cells);
  bench.rows.push_back({{"section", "peers"}, {"row", label}, {"at", at}});
  return absl::OkStatus();
}

absl::Status Peers(Bench& bench) {
  std::ifstream file(kPeersFile);
  if (!file) {
    bench.report.Remark("peers left out: there is no tests/bench/peers/curves.json");
    return absl::OkStatus();
  }
  const nlohmann::json peers = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!peers.is_object() || !peers.contains("spaces") || !peers["spaces"].is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(kPeersFile, ": no object with \"spaces\""));
  }
  ASSIGN_OR_RETURN(const Result ours, bench.lab.Run({}));
  std::set<std::string> names;
  for (const auto& [space, strategies] : peers["spaces"].items()) {
    for (const auto& [name, fractions] : strategies.items()) names.insert(name);
  }
  const Counts counts = CountsUpTo(bench.lab.effort().budget_trials);
  PrintHeader("peers", counts);
  for (const std::string& name : names) {
    RETURN_IF_ERROR(ShowPeer(bench, peers["spaces"], name, ours, counts));
  }
  return absl::OkStatus();
}

// Costs of what the other sections ran, and of a large space.
absl::Status Cost(Bench& bench) {
  ASSIGN_OR_RETURN(const Result ours, bench.lab.Run({}));
  ReportProposalCost("cost", bench.lab.proposal_seconds(), bench.report);
  return MeasureLargeSpace(bench.quick ? 1 : 3, bench.lab.effort().seed_base, bench.report);
}

}  // namespace

std::vector<Section> Sections() {
  return {{"strategies", AllStrategies},
          {"constants", LeaveOneKernelOut, /*in_quick=*/false},
          {"pending", Pending},
          {"history", TrueHistory},
          {"wrong", WrongHistory},
          {"noise", Noise},
          {"peers", Peers},
          {"cost", Cost},
          {.name = "pareto", .run = Pareto, .measured = false}};
}

}  // namespace burnish::bench
