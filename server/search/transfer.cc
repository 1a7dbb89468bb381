#include "server/search/transfer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "common/base/random.h"
#include "server/costmodel/metrics.h"
#include "server/search/bayesian.h"
#include "server/search/log_targets.h"
#include "server/search/promise.h"

namespace burnish::search {
namespace {

// Chosen on measured spaces of GPU kernels.
//
// Whence the first trials come: the history's order, a sample, or the model with the history.
constexpr std::string_view kOpening = "hhshhmmsmsms";
constexpr double kRidge = 3;
// The history is dropped when the rank correlation of its predictions with what was observed is
// less.
constexpr size_t kObservedToDoubt = 4;
constexpr size_t kFew = 6;
constexpr double kLeastCorrelationOfFew = -0.1;
constexpr double kLeastCorrelation = 0.3;

// Of proposals that come from the model with the history: what it knows is used up first.
double ShareOfHistory(size_t trials) {
  if (trials < 25) return 0.5;
  return trials < 50 ? 0.34 : 0.25;
}

}  // namespace

TransferStrategy::TransferStrategy(const StrategyContext& context)
    : space_(*context.space),
      seed_(context.seed),
      exploration_(context.exploration),
      history_(context.history),
      dropped_(history_.sources() == 0),
      known_(*context.space),
      plain_(*context.space),
      residual_(*context.space) {}

std::optional<space::ConfigurationIndex> TransferStrategy::Propose(TrialNumber number) {
  if (known_.Full()) return std::nullopt;
  RandomStream random(seed_, "transfer", static_cast<uint64_t>(number.value()));
  dropped_ = dropped_ || !Confirmed();
  const bool can_model = trials_.successes() >= kSuccessesToModel;
  std::optional<space::ConfigurationIndex> next;
  std::optional<Choice> choice;
  if (!dropped_ && known_.size() < kOpening.size()) {
    const char source = kOpening[known_.size()];
    if (source == 'h') next = NextOfHistory();
    if (source == 'm' && can_model) choice = PromisingByHistory(random);
  } else if (known_.size() >= exploration_.samples && can_model) {
    const bool by_history = !dropped_ && random.UniformReal() < ShareOfHistory(known_.size());
    choice = by_history ? PromisingByHistory(random)
                        : MostPromising(space_, known_, trials_, exploration_, plain_, random);
  }
  if (choice) {
    next = choice->index;
    expectations_.push_back({number, choice->log_cost});
  }
  if (!next) next = known_.DrawCovering(random);
  Adopt(number, *next);
  return next;
}

void TransferStrategy::Adopt(TrialNumber, space::ConfigurationIndex index) {
  known_.Insert(index);
  trials_.Add(index);
}

void TransferStrategy::Observe(std::span<const Observation> observations) {
  trials_.Observe(observations);
}

std::optional<space::ConfigurationIndex> TransferStrategy::NextOfHistory() const {
  const space::RowLayout& layout = space_.layout();
  for (const int distance : {2, 1}) {
    for (const space::ConfigurationIndex index : history_.ranking()) {
      if (known_.Contains(index)) continue;
      const space::Row row = space_.RowAt(index);
      const bool far = std::ranges::all_of(trials_.indices(), [&](auto trial) {
        return layout.Distance(row.data(), space_.RowAt(trial).data()) >= distance;
      });
      if (far) return index;
    }
  }
  return std::nullopt;
}

std::optional<Choice> TransferStrategy::PromisingByHistory(RandomStream& random) {
  const LogTargets scaled = Scale(trials_.log_costs(), history_.cut(), history_.deviation());
  std::vector<std::vector<double>> predictions;
  std::vector<std::vector<double>> seen;
  std::vector<double> targets;
  for (size_t i = 0; i < trials_.size(); ++i) {
    predictions.push_back(history_.Predictions(trials_.indices()[i]));
    if (std::isnan(scaled.targets[i])) continue;
    seen.push_back(predictions.back());
    targets.push_back(scaled.targets[i]);
  }
  const std::vector<double> weights = SourceWeights(seen, targets, kRidge);
  const auto prior = [&](const std::vector<double>& of_sources) {
    return std::inner_product(weights.begin(), weights.end(), of_sources.begin(), 0.0);
  };
  std::vector<double> residuals = scaled.targets;
  for (size_t i = 0; i < residuals.size(); ++i) residuals[i] -= prior(predictions[i]);
  Surrogate::Belief belief = residual_.Update(trials_, residuals, random);
  const CandidatePool& candidates = residual_.candidates();
  for (size_t candidate = 0; candidate < candidates.size(); ++candidate) {
    belief.mean[static_cast<Eigen::Index>(candidate)] +=
        static_cast<float>(prior(history_.Predictions(candidates.At(candidate))));
  }
  Turn turn = NextTurn(space_, trials_, exploration_, random);
  if (known_.size() < kOpening.size()) turn.margin = 0;
  return Choose(known_, candidates, belief, scaled, turn);
}

bool TransferStrategy::Confirmed() const {
  if (trials_.observed() < kObservedToDoubt) return true;
  std::vector<double> predicted;
  std::vector<double> observed;
  for (size_t i = 0; i < trials_.size(); ++i) {
    if (std::isnan(trials_.log_costs()[i])) continue;
    predicted.push_back(history_.Prediction(trials_.indices()[i]));
    observed.push_back(trials_.log_costs()[i]);
  }
  const bool few = observed.size() < kFew;
  return costmodel::SpearmanCorrelation(predicted, observed).value_or(0) >=
         (few ? kLeastCorrelationOfFew : kLeastCorrelation);
}

std::unique_ptr<Strategy> MakeTransfer(const StrategyContext& context) {
  const bool any = std::ranges::any_of(
      context.history, [](const HistorySource& source) { return !source.records.empty(); });
  if (!any) return MakeBayesian(context);
  return std::make_unique<TransferStrategy>(context);
}

}  // namespace burnish::search
