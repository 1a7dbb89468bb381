#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/diagnostic.h"
#include "server/search/bayesian.h"
#include "server/search/boosted_trees.h"
#include "server/search/exhaustive.h"
#include "server/search/genetic.h"
#include "server/search/gradient.h"
#include "server/search/local.h"
#include "server/search/nsga2.h"
#include "server/search/parego.h"
#include "server/search/pruning.h"
#include "server/search/random.h"
#include "server/search/simulated_annealing.h"
#include "server/search/strategy.h"
#include "server/search/transfer.h"

namespace burnish::search {
namespace {

enum Objectives { kOne, kSeveral };  // that a strategy serves at most

struct Entry {
  std::string_view name;
  std::unique_ptr<Strategy> (*make)(const StrategyContext&);
  Objectives objectives;
};

std::unique_ptr<Strategy> MakeAuto(const StrategyContext& context) {
  const bool fits = context.space->Enumerable() &&
                    static_cast<int64_t>(context.space->size()) <= context.budget_trials;
  if (fits && !context.may_end_early) return MakeExhaustive(context);
  return context.objectives > 1 ? MakeParego(context) : MakeTransfer(context);
}

// A new strategy is its file and one line here.
constexpr Entry kStrategies[] = {
    {"auto", MakeAuto, kSeveral},
    {"random", MakeRandom, kSeveral},
    {"exhaustive", MakeExhaustive, kSeveral},
    {"local", MakeLocal, kOne},
    {"genetic", MakeGenetic, kOne},
    {"simulated_annealing", MakeSimulatedAnnealing, kOne},
    {"boosted_trees", MakeBoostedTrees, kOne},
    {"bayesian", MakeBayesian, kOne},
    {"transfer", MakeTransfer, kOne},
    {"gradient", MakeGradient, kOne},
    {"parego", MakeParego, kSeveral},
    {"nsga2", MakeNsga2, kSeveral},
};

}  // namespace

std::vector<std::string> StrategyNames(size_t objectives) {
  std::vector<std::string> names;
  for (const Entry& entry : kStrategies) {
    if (objectives == 1 || entry.objectives == kSeveral) names.emplace_back(entry.name);
  }
  return names;
}

absl::StatusOr<std::unique_ptr<Strategy>> MakeStrategy(std::string_view name,
                                                       const StrategyContext& context) {
  CHECK(context.space != nullptr && context.space->size() > 0 && context.objectives > 0);
  for (const Entry& entry : kStrategies) {
    if (entry.name != name) continue;
    if (context.objectives == 1 && context.bound) {
      return std::make_unique<PruningStrategy>(entry.make(context), context);
    }
    if (context.objectives == 1 || entry.objectives == kSeveral) return entry.make(context);
    return InvalidInput(
        absl::StrCat("strategy '", std::string(name), "' serves one objective, not ",
                     context.objectives),
        absl::StrCat("of several: ", absl::StrJoin(StrategyNames(context.objectives), ", ")));
  }
  return InvalidInput(absl::StrCat("unknown strategy '", std::string(name), "'"),
                      NameHint(name, StrategyNames()));
}

}  // namespace burnish::search
