// service_bench: what the service takes per trial, over real gRPC with simulated agents. Exit code
// 1 if a figure missed its target.
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/numbers.h"
#include "tests/bench/service/measures.h"
#include "tests/bench/service/vizier.h"

namespace burnish::bench {
namespace {

struct Options {
  bool quick = false;
  int64_t stored = 0;
  std::string out;
  std::vector<std::string> only;  // groups; empty: all
};

constexpr char kUsage[] =
    "usage: service_bench [--quick] [--stored TRIALS] [--only GROUP]... --out FILE.json\n"
    "groups: sqlite postgresql vizier\n";

std::optional<Options> Parse(const std::vector<std::string>& arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool has_value = i + 1 < arguments.size();
    if (arguments[i] == "--quick") {
      options.quick = true;
    } else if (arguments[i] == "--stored" && has_value) {
      options.stored = ParseInteger(arguments[++i]).value_or(0);
      if (options.stored <= 0) return std::nullopt;
    } else if (arguments[i] == "--only" && has_value) {
      options.only.push_back(arguments[++i]);
    } else if (arguments[i] == "--out" && has_value) {
      options.out = arguments[++i];
    } else {
      return std::nullopt;
    }
  }
  if (options.out.empty()) return std::nullopt;
  return options;
}

void MeasureDatabase(DatabaseKind kind, const Options& options, const Effort& effort,
                     Report& report) {
  const std::string group = NameOf(kind);
  const auto on_new_database = [&](const auto& measure) {
    Database database(kind);
    return measure(database);
  };
  const double rate = on_new_database(
      [&](Database& database) { return MeasureThroughput(database, effort, group, report); });
  on_new_database([&](Database& database) { MeasureOverhead(database, effort, group, report); });
  for (int replicas = 1; replicas <= (kind == DatabaseKind::kPostgres ? 2 : 1); ++replicas) {
    on_new_database([&](Database& database) {
      MeasureDispatch(database, effort, rate, replicas, group, report);
    });
  }
  on_new_database([&](Database& database) { MeasureIdle(database, effort, group, report); });
  if (options.stored == 0) return;
  on_new_database([&](Database& database) {
    StoreInBulk(database, options.stored);
    const std::string full = absl::StrCat(group, " full");
    const double full_rate = MeasureThroughput(database, effort, full, report);
    report.Add({.group = full,
                .name = absl::StrCat("slowdown with ", options.stored, " trials stored"),
                .value = (1 - full_rate / rate) * 100,
                .unit = "%",
                .at_most = 20});
  });
}

int Main(const std::vector<std::string>& arguments) {
  const std::optional<Options> options = Parse(arguments);
  if (!options.has_value()) {
    std::cerr << kUsage;
    return 2;
  }
  const auto wanted = [&](const std::string& group) {
    return options->only.empty() || std::ranges::count(options->only, group) > 0;
  };
  Effort effort;
  if (options->quick) effort = {.steady = absl::Seconds(4), .idle_agents = 500};
  Report report{.command = absl::StrCat("./dev bench service ", absl::StrJoin(arguments, " ")),
                .figures = {},
                .remarks = {}};
  for (const DatabaseKind kind : {DatabaseKind::kSqlite, DatabaseKind::kPostgres}) {
    if (wanted(NameOf(kind))) MeasureDatabase(kind, *options, effort, report);
  }
  if (wanted("vizier")) MeasureVizier(report);
  std::ofstream(options->out) << report.Json().dump(2) << "\n";
  return report.pass() ? 0 : 1;
}

}  // namespace
}  // namespace burnish::bench

int main(int argc, char** argv) {
  return burnish::bench::Main(std::vector<std::string>(argv + 1, argv + argc));
}
