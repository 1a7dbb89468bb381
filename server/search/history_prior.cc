#include "server/search/history_prior.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace burnish::search {
namespace {

// Logarithms of latencies over the least; +∞: failed.
std::vector<std::pair<space::ConfigurationIndex, double>> LogRatios(const HistorySource& source) {
  double least = std::numeric_limits<double>::infinity();
  for (const HistoryRecord& record : source.records) {
    if (record.latency_seconds > 0) least = std::min(least, record.latency_seconds);
  }
  std::vector<std::pair<space::ConfigurationIndex, double>> ratios;
  for (const HistoryRecord& record : source.records) {
    ratios.emplace_back(record.index, record.latency_seconds > 0
                                          ? std::log(record.latency_seconds / least)
                                          : std::numeric_limits<double>::infinity());
  }
  return ratios;
}

}  // namespace

HistoryPrior::HistoryPrior(const std::vector<HistorySource>& sources) {
  std::vector<std::vector<std::pair<space::ConfigurationIndex, double>>> all;
  std::vector<double> cuts;
  double deviations = 0;
  for (const HistorySource& source : sources) {
    auto ratios = LogRatios(source);
    std::vector<double> successes;
    for (const auto& [index, ratio] : ratios) {
      if (std::isfinite(ratio)) successes.push_back(ratio);
    }
    if (successes.empty()) continue;
    const auto middle = successes.begin() + static_cast<std::ptrdiff_t>(successes.size() / 2);
    std::nth_element(successes.begin(), middle, successes.end());
    const double cut = std::max(2 * *middle, 0.2);
    double sum = 0;
    double squares = 0;
    for (auto& [index, ratio] : ratios) {
      ratio = std::min(ratio, cut);
      sum += ratio;
      squares += ratio * ratio;
    }
    const auto count = static_cast<double>(ratios.size());
    deviations += std::sqrt(std::max(squares / count - sum / count * (sum / count), 1e-4));
    Source& kept = sources_.emplace_back();
    kept.missing = cut - sum / count;
    for (const auto& [index, ratio] : ratios) kept.of[index] = ratio - sum / count;
    cuts.push_back(cut);
  }
  if (sources_.empty()) return;
  const auto count = static_cast<double>(sources_.size());
  deviation_ = deviations / count;
  for (const double cut : cuts) cut_ += cut / count;
  for (Source& source : sources_) {
    source.missing /= deviation_;
    for (auto& [index, prediction] : source.of) prediction /= deviation_;
  }
  for (const HistorySource& source : sources) {
    for (const HistoryRecord& record : source.records) {
      if (record.latency_seconds > 0) ranking_.push_back(record.index);
    }
  }
  std::ranges::sort(ranking_);
  ranking_.erase(std::unique(ranking_.begin(), ranking_.end()), ranking_.end());
  std::ranges::stable_sort(ranking_, {}, [&](auto index) { return Prediction(index); });
}

std::vector<double> HistoryPrior::Predictions(space::ConfigurationIndex index) const {
  std::vector<double> predictions;
  for (const Source& source : sources_) {
    const auto found = source.of.find(index);
    predictions.push_back(found == source.of.end() ? source.missing : found->second);
  }
  return predictions;
}

double HistoryPrior::Prediction(space::ConfigurationIndex index) const {
  double sum = 0;
  for (const double prediction : Predictions(index)) sum += prediction;
  return sum / static_cast<double>(sources_.size());
}

std::vector<double> SourceWeights(const std::vector<std::vector<double>>& predictions,
                                  const std::vector<double>& targets, double strength) {
  constexpr int kSweeps = 60;
  const size_t rows = targets.size();
  const size_t sources = predictions.empty() ? 0 : predictions.front().size();
  std::vector<std::vector<double>> columns(sources, std::vector<double>(rows));
  std::vector<double> residual(targets);
  const auto centre = [](std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    for (double& value : values) value -= sum / static_cast<double>(values.size());
  };
  const double equal = 1.0 / static_cast<double>(sources);
  centre(residual);
  for (size_t s = 0; s < sources; ++s) {
    for (size_t i = 0; i < rows; ++i) columns[s][i] = predictions[i][s];
    centre(columns[s]);
    for (size_t i = 0; i < rows; ++i) residual[i] -= equal * columns[s][i];
  }
  std::vector<double> weights(sources, equal);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (size_t s = 0; s < sources; ++s) {
      double squares = strength;
      double slope = strength * (equal - weights[s]);
      for (size_t i = 0; i < rows; ++i) {
        squares += columns[s][i] * columns[s][i];
        slope += columns[s][i] * residual[i];
      }
      const double change = std::max(weights[s] + slope / squares, 0.0) - weights[s];
      weights[s] += change;
      for (size_t i = 0; i < rows; ++i) residual[i] -= change * columns[s][i];
    }
  }
  return weights;
}

}  // namespace burnish::search
