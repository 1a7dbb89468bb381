#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/diagnostic.h"
#include "server/search/bayesian.h"
#include "server/search/boosted_trees.h"
#include "server/search/exhaustive.h"
#include "server/search/genetic.h"
#include "server/search/local.h"
#include "server/search/random.h"
#include "server/search/simulated_annealing.h"
#include "server/search/strategy.h"
#include "server/search/transfer.h"

namespace burnish::search {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Strategy> (*make)(const StrategyContext&);
};

std::unique_ptr<Strategy> MakeAuto(const StrategyContext& context) {
  const bool fits = context.space->Enumerable() &&
                    static_cast<int64_t>(context.space->size()) <= context.budget_trials;
  return fits && !context.may_end_early ? MakeExhaustive(context) : MakeTransfer(context);
}

// A new strategy is its file and one line here.
constexpr Entry kStrategies[] = {
    {"auto", MakeAuto},
    {"random", MakeRandom},
    {"exhaustive", MakeExhaustive},
    {"local", MakeLocal},
    {"genetic", MakeGenetic},
    {"simulated_annealing", MakeSimulatedAnnealing},
    {"boosted_trees", MakeBoostedTrees},
    {"bayesian", MakeBayesian},
    {"transfer", MakeTransfer},
};

}  // namespace

std::vector<std::string> StrategyNames() {
  std::vector<std::string> names;
  for (const Entry& entry : kStrategies) names.emplace_back(entry.name);
  return names;
}

absl::StatusOr<std::unique_ptr<Strategy>> MakeStrategy(std::string_view name,
                                                       const StrategyContext& context) {
  CHECK(context.space != nullptr && context.space->size() > 0);
  for (const Entry& entry : kStrategies) {
    if (entry.name == name) return entry.make(context);
  }
  return InvalidInput(absl::StrCat("unknown strategy '", std::string(name), "'"),
                      NameHint(name, StrategyNames()));
}

}  // namespace burnish::search
