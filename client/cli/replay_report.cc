#include "client/cli/replay_report.h"

#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/output.h"
#include "common/base/numbers.h"
#include "common/stats/statistics.h"

namespace burnish::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kTail = 0.99;

// The numbers of trials to tell the fraction at.
std::vector<int64_t> Counts(int64_t budget_trials) {
  std::vector<int64_t> counts;
  for (const int64_t count : {25, 50, 100, 200, 400}) {
    if (count <= budget_trials) counts.push_back(count);
  }
  return counts;
}

template <typename Value>
Json AtCounts(const ReplayResult& result, const Value& value) {
  Json json = Json::object();
  for (const int64_t count : Counts(result.budget_trials)) json[absl::StrCat(count)] = value(count);
  return json;
}

Json SpaceJson(const ReplayResult& result, size_t space) {
  const search::TournamentSpace& played = result.spaces[space];
  const measured::MeasuredSpace& measured = played.table->measured();
  Json strategies = Json::array();
  for (size_t i = 0; i < result.strategies.size(); ++i) {
    const search::Standing& standing = result.standings[i][space];
    strategies.push_back(
        {{"name", result.strategies[i]},
         {"seeds", result.seeds},
         {"fraction_at", AtCounts(result, [&](int64_t n) { return standing.Median(n); })},
         {"fraction_at_end", standing.Median(result.budget_trials)},
         {"seconds_per_proposal", stats::Median(standing.proposal_seconds)},
         {"seconds_per_proposal_p99", stats::Quantile(standing.proposal_seconds, kTail)}});
  }
  Json history = Json::array();
  for (const search::HistorySource& source : played.history) history.push_back(source.name);
  return {{"name", measured.name},
          {"kernel", measured.kernel},
          {"device", measured.device},
          {"configurations", measured.records.size()},
          {"optimum", *played.table->OptimumSeconds()},
          {"history", history},
          {"strategies", strategies}};
}

std::vector<std::string> Row(const ReplayResult& result, const std::vector<int64_t>& counts,
                             const std::string& name, size_t strategy,
                             const std::function<double(int64_t)>& fraction) {
  std::vector<std::string> row = {name, result.strategies[strategy]};
  for (const int64_t count : counts) row.push_back(absl::StrFormat("%.3f", fraction(count)));
  return row;
}

}  // namespace

nlohmann::ordered_json ReplayDocument(const ReplayResult& result) {
  Json spaces = Json::array();
  for (size_t i = 0; i < result.spaces.size(); ++i) spaces.push_back(SpaceJson(result, i));
  Json mean = Json::array();
  for (size_t i = 0; i < result.strategies.size(); ++i) {
    const std::vector<search::Standing>& all = result.standings[i];
    mean.push_back(
        {{"strategy", result.strategies[i]},
         {"fraction_at",
          AtCounts(result, [&](int64_t n) { return search::Summarise(all, n).mean; })},
         {"worst_at", AtCounts(result, [&](int64_t n) { return search::Summarise(all, n).worst; })},
         {"interval_at", AtCounts(result, [&](int64_t n) {
            const stats::Interval interval = search::MeanInterval(all, n);
            return Json::array({interval.low, interval.high});
          })}});
  }
  return {{"spaces", spaces}, {"mean", mean}};
}

std::string ReplayTable(const ReplayResult& result) {
  std::vector<int64_t> counts = Counts(result.budget_trials);
  if (counts.empty() || counts.back() != result.budget_trials) {
    counts.push_back(result.budget_trials);
  }
  std::vector<std::vector<std::string>> rows = {{"space", "strategy"}};
  for (const int64_t count : counts) rows[0].push_back(absl::StrCat(count));
  rows[0].insert(rows[0].end(), {"per proposal", "p99"});
  for (size_t space = 0; space < result.spaces.size(); ++space) {
    for (size_t i = 0; i < result.strategies.size(); ++i) {
      const search::Standing& standing = result.standings[i][space];
      rows.push_back(Row(result, counts, i == 0 ? result.spaces[space].table->measured().name : "",
                         i, [&](int64_t n) { return standing.Median(n); }));
      const std::vector<double>& seconds = standing.proposal_seconds;
      rows.back().push_back(FormatSeconds(stats::Median(seconds)));
      rows.back().push_back(FormatSeconds(stats::Quantile(seconds, kTail)));
    }
  }
  for (const bool worst : {false, true}) {
    for (size_t i = 0; i < result.strategies.size() && result.spaces.size() > 1; ++i) {
      rows.push_back(Row(result, counts,
                         i > 0   ? ""
                         : worst ? "worst"
                                 : "mean",
                         i, [&](int64_t n) {
                           const search::Summary summary =
                               search::Summarise(result.standings[i], n);
                           return worst ? summary.worst : summary.mean;
                         }));
    }
  }
  return absl::StrCat("Fraction of the optimum after so many distinct evaluations, the median of ",
                      result.seeds, result.seeds == 1 ? " seed" : " seeds", "\n\n",
                      FormatTable(rows));
}

}  // namespace burnish::cli
