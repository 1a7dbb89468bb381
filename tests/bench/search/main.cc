// search_bench: what the strategies find in fully measured spaces, without a device. Exit code 1 if
// a figure missed its target.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/environment.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"
#include "tests/bench/search/sections.h"

namespace burnish::bench {
namespace {

struct Options {
  bool quick = false;
  Effort effort;
  std::string out;
  std::vector<std::string> only;  // sections; empty: all
};

std::string Usage() {
  std::vector<std::string> names;
  for (const Section& section : Sections()) names.push_back(section.name);
  return absl::StrCat(
      "usage: search_bench [--quick] [--only SECTION,...] [--seeds N] [--seed-base K] --out "
      "FILE.json\nBURNISH_SPACES names the folder of the measured spaces, which all sections need "
      "but pareto\nsections: ",
      absl::StrJoin(names, " "), "\n");
}

bool Wanted(const Options& options, const Section& section) {
  if (options.only.empty()) return section.in_quick || !options.quick;
  return std::ranges::find(options.only, section.name) != options.only.end();
}

// Whether a wanted section needs the measured spaces.
bool NeedsSpaces(const Options& options) {
  return std::ranges::any_of(Sections(), [&](const Section& section) {
    return section.measured && Wanted(options, section);
  });
}

bool IsSection(const std::string& name) {
  const std::vector<Section> sections = Sections();
  return std::ranges::find(sections, name, &Section::name) != sections.end();
}

std::optional<Options> Parse(const std::vector<std::string>& arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool has_value = i + 1 < arguments.size();
    if (arguments[i] == "--quick") {
      options.quick = true;
      options.effort.budget_trials = 200;
    } else if (arguments[i] == "--only" && has_value) {
      const std::vector<std::string> names = absl::StrSplit(arguments[++i], ',');
      for (const std::string& name : names) {
        if (!IsSection(name)) return std::nullopt;
        options.only.push_back(name);
      }
    } else if (arguments[i] == "--seeds" && has_value) {
      options.effort.seeds = ParseInteger(arguments[++i]).value_or(0);
      if (options.effort.seeds <= 0) return std::nullopt;
    } else if (arguments[i] == "--seed-base" && has_value) {
      const std::optional<int64_t> base = ParseInteger(arguments[++i]);
      if (!base || *base < 0) return std::nullopt;
      options.effort.seed_base = static_cast<uint64_t>(*base);
    } else if (arguments[i] == "--out" && has_value) {
      options.out = arguments[++i];
    } else {
      return std::nullopt;
    }
  }
  if (options.out.empty()) return std::nullopt;
  return options;
}

// Whether every target was met.
absl::StatusOr<bool> Run(const std::vector<std::string>& arguments, const Options& options,
                         const std::string& folder) {
  std::vector<Space> spaces;
  if (NeedsSpaces(options)) {
    ASSIGN_OR_RETURN(spaces, LoadSpaces(folder));
  }
  Report report;
  report.command = absl::StrCat("./dev bench search ", absl::StrJoin(arguments, " "));
  report.machine["load_average_at_start"] = LoadAverage();
  for (const Space& space : spaces) report.machine["spaces"].push_back(space.name());
  std::cout << options.effort.seeds << " seeds from " << options.effort.seed_base << std::endl;
  if (!spaces.empty()) {
    std::cout
        << spaces.size() << " measured spaces, " << options.effort.budget_trials
        << " trials\nfraction of the optimum after so many trials: mean over the spaces of the "
           "median over the seeds"
        << std::endl;
  }
  Lab lab(std::move(spaces), options.effort);
  nlohmann::json rows = nlohmann::json::array();
  Bench bench{.lab = lab, .report = report, .rows = rows, .quick = options.quick};
  for (const Section& section : Sections()) {
    if (Wanted(options, section)) {
      RETURN_IF_ERROR(section.run(bench));
    } else if (options.only.empty()) {
      report.Remark(absl::StrCat("left out of --quick: ", section.name));
    }
  }
  nlohmann::json json = report.Json();
  json["rows"] = std::move(rows);
  std::ofstream(options.out) << json.dump(2) << "\n";
  return report.pass();
}

int Main(const std::vector<std::string>& arguments) {
  const std::optional<Options> options = Parse(arguments);
  if (!options.has_value()) {
    std::cerr << Usage();
    return 2;
  }
  const std::optional<std::string> folder = EnvironmentVariable("BURNISH_SPACES");
  if (!folder.has_value() && NeedsSpaces(*options)) {
    std::cout << "skipped: BURNISH_SPACES names no folder of measured spaces\n";
    return 0;
  }
  const absl::StatusOr<bool> passed = Run(arguments, *options, folder.value_or(""));
  if (!passed.ok()) {
    std::cerr << "search_bench: " << passed.status().message() << "\n";
    return 1;
  }
  return *passed ? 0 : 1;
}

}  // namespace
}  // namespace burnish::bench

int main(int argc, char** argv) {
  return burnish::bench::Main(std::vector<std::string>(argv + 1, argv + argc));
}
