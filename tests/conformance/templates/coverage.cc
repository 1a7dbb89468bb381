#include "tests/conformance/templates/coverage.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "server/templates/contraction.h"

namespace burnish::templates {
namespace {

// A parameter's value as text; empty for one that the configuration lacks.
std::string Word(const space::Configuration& configuration, std::string_view name) {
  const auto found = std::ranges::find(configuration, name, &space::Setting::name);
  return found == configuration.end() ? "" : expr::FormatBare(found->value);
}

int64_t Number(const space::Configuration& configuration, std::string_view name) {
  const auto found = std::ranges::find(configuration, name, &space::Setting::name);
  CHECK(found != configuration.end()) << name;
  return std::get<int64_t>(found->value);
}

std::vector<std::string> FeaturesOfProblem(const Pair& pair) {
  const op::EinsumOptions& options = pair.options;
  std::vector<std::string> features = {
      absl::StrCat("target: ", pair.target->name),
      absl::StrCat("expression: ", std::string(options.expression)),
      absl::StrCat("dtypes: ", DtypesOf(options)),
      absl::StrCat("constant: ", absl::StrJoin(options.constant, " and ")),
      absl::StrCat("template: ", Word(pair.configuration, "template"))};
  for (const std::string& step : options.epilogue) features.push_back("epilogue: " + step);
  if (options.epilogue.empty()) features.emplace_back("epilogue: none");
  return features;
}

}  // namespace

// Names are in one place: what Count() cannot give is never asked for.
Coverage::Coverage() {
  for (const RunnableTarget& target : RunnableTargets()) counts_["target: " + target.name];
  for (const std::string& expression : Expressions()) counts_["expression: " + expression];
  for (const Dtypes& types : AllDtypes()) {
    counts_["dtypes: " + DtypesOf({.a = types.a, .b = types.b, .output = types.output})];
  }
  for (const auto& constant : Constants()) {
    counts_[absl::StrCat("constant: ", absl::StrJoin(constant, " and "))];
  }
  for (const std::string& step : op::EpilogueNames()) counts_["epilogue: " + step];
  for (const char* name : {"epilogue: none",
                           "template: cpu_tile@1",
                           "template: cpu_dot@1",
                           "threads: 1",
                           "threads: 2",
                           "threads: more",
                           "divide: columns",
                           "divide: rows",
                           "divide: batches",
                           "tile: a packed",
                           "tile: b packed",
                           "tile: neither packed",
                           "tile: k split",
                           "tile: several blocks of k",
                           "tile: several blocks of m",
                           "tile: separate epilogue",
                           "tile: tiles_outer",
                           "tile: unbalanced",
                           "tile: panels prefetched",
                           "tile: rows left over",
                           "tile: columns left over",
                           "tile: k left over",
                           "dot: rows left over",
                           "dot: columns left over",
                           "dot: k left over",
                           "dot: packed"}) {
    counts_[name];
  }
}

void Coverage::Count(const Pair& pair) {
  for (const std::string& feature : FeaturesOfProblem(pair)) ++counts_[feature];
  const auto number = [&](std::string_view name) { return Number(pair.configuration, name); };
  const auto count = [&](bool there, const char* name) { counts_[name] += there ? 1 : 0; };
  const Contraction x = AsContraction(pair.op).value();
  const int64_t m = x.m.extent, n = x.n.extent, k = x.k.extent;
  const int64_t threads = number("THREADS");
  count(threads == 1, "threads: 1");
  count(threads == 2, "threads: 2");
  count(threads > 2, "threads: more");
  if (threads > 1) ++counts_["divide: " + Word(pair.configuration, "DIVIDE")];
  if (Word(pair.configuration, "template").starts_with("cpu_dot")) {
    count(m % number("DOT_M") != 0, "dot: rows left over");
    count(n % number("DOT_N") != 0, "dot: columns left over");
    count(k % number("VECTOR") != 0, "dot: k left over");
    count(k > 1 && (x.k.strides[0] != 1 || x.k.strides[1] != 1), "dot: packed");
    return;
  }
  const bool a_packed = number("PACK_A") == 1, b_packed = number("PACK_B") == 1;
  count(a_packed, "tile: a packed");
  count(b_packed, "tile: b packed");
  count(!a_packed && !b_packed, "tile: neither packed");
  count(number("SPLIT_K") > 1, "tile: k split");
  count(number("BLOCK_K") < k, "tile: several blocks of k");
  count(number("BLOCK_M") < m, "tile: several blocks of m");
  count(Word(pair.configuration, "EPILOGUE") == "separate", "tile: separate epilogue");
  count(Word(pair.configuration, "ORDER") == "tiles_outer", "tile: tiles_outer");
  count(number("BALANCE") == 0, "tile: unbalanced");
  count(number("PREFETCH_PANEL") == 1, "tile: panels prefetched");
  count(m % number("TILE_M") != 0, "tile: rows left over");
  count(n % (number("TILE_N") * number("VECTOR")) != 0, "tile: columns left over");
  count(k % number("UNROLL") != 0 || (DtypeBytes(pair.options.b) < 4 && k % 4 != 0),
        "tile: k left over");
}

std::vector<std::string> Coverage::Missing() const {
  std::vector<std::string> missing;
  for (const auto& [name, count] : counts_) {
    if (count == 0) missing.push_back(name);
  }
  return missing;
}

std::string Coverage::Histogram() const {
  std::string text;
  for (const auto& [name, count] : counts_) {
    absl::StrAppend(&text, absl::StrFormat("  %6d  %s\n", count, name));
  }
  return text;
}

}  // namespace burnish::templates
