#include "tests/bench/search/histories.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "server/search/replay.h"

namespace burnish::bench {
namespace {

using search::HistoryRecord;
using search::HistorySource;

constexpr double kFailedTimesBest = 20;

double Best(const HistorySource& source) {
  double best = std::numeric_limits<double>::infinity();
  for (const HistoryRecord& record : source.records) {
    if (record.latency_seconds > 0) best = std::min(best, record.latency_seconds);
  }
  return best;
}

void Invert(HistorySource& source) {
  double worst = 0;
  for (const HistoryRecord& record : source.records) {
    worst = std::max(worst, record.latency_seconds);
  }
  const double product = Best(source) * worst;
  for (HistoryRecord& record : source.records) {
    if (record.latency_seconds > 0) record.latency_seconds = product / record.latency_seconds;
  }
}

void Permute(HistorySource& source, uint64_t number) {
  RandomStream random(1, "permuted history", number);
  for (size_t i = source.records.size(); i > 1; --i) {
    std::swap(source.records[i - 1].latency_seconds,
              source.records[random.UniformBelow(i)].latency_seconds);
  }
}

// The values of those parameters that `other` has too, as text.
std::string SharedValues(const space::Configuration& configuration,
                         const space::SearchSpace& other) {
  std::map<std::string, std::string> values;
  for (const space::Setting& setting : configuration) {
    const auto& theirs = other.parameters();
    if (std::ranges::find(theirs, setting.name, &space::Parameter::name) != theirs.end()) {
      values[setting.name] = expr::FormatValue(setting.value);
    }
  }
  std::string text;
  for (const auto& [name, value] : values) absl::StrAppend(&text, name, "=", value, ";");
  return text;
}

// Records of another kernel stand for every configuration that agrees with them in the parameters
// that both kernels have, whatever its other parameters are; of several the geometric mean.
HistorySource FromOtherKernel(const measured::Table& other, const space::SearchSpace& space) {
  struct Times {
    double sum_of_logarithms = 0;
    int64_t count = 0;
  };
  std::map<std::string, Times> times_of;
  for (space::ConfigurationIndex i = 0; i < other.space().size(); ++i) {
    Times& times = times_of[SharedValues(other.space().At(i), space)];
    if (other.At(i).outcome != work::Outcome::kOk) continue;
    times.sum_of_logarithms += std::log(other.At(i).latency_seconds);
    ++times.count;
  }
  HistorySource source{.name = other.measured().name};
  for (space::ConfigurationIndex i = 0; i < space.size(); ++i) {
    const std::string values = SharedValues(space.At(i), other.space());
    const auto found = times_of.find(values);
    if (values.empty() || found == times_of.end()) continue;
    const Times& times = found->second;
    const double mean = times.sum_of_logarithms / static_cast<double>(times.count);
    source.records.push_back({.index = i, .latency_seconds = times.count > 0 ? std::exp(mean) : 0});
  }
  return source;
}

}  // namespace

std::vector<std::vector<HistorySource>> HistoriesOf(const std::vector<Space>& spaces,
                                                    History kind) {
  std::vector<std::vector<HistorySource>> histories(spaces.size());
  for (size_t i = 0; i < spaces.size() && kind != History::kNone; ++i) {
    const space::SearchSpace& space = spaces[i].table.space();
    for (size_t j = 0; j < spaces.size(); ++j) {
      const bool same_kernel = spaces[i].kernel == spaces[j].kernel;
      if (i == j || same_kernel == (kind == History::kOtherKernel)) continue;
      HistorySource source = same_kernel ? search::HistoryFrom(spaces[j].table, space)
                                         : FromOtherKernel(spaces[j].table, space);
      if (source.records.empty()) continue;
      if (kind == History::kInverted) Invert(source);
      if (kind == History::kPermuted) Permute(source, i * spaces.size() + j);
      histories[i].push_back(std::move(source));
    }
  }
  return histories;
}

std::vector<double> MeanRankCurve(const Space& space, const std::vector<HistorySource>& history) {
  const uint64_t size = space.table.space().size();
  std::vector<double> badness(size, 0);
  for (const HistorySource& source : history) {
    std::vector<double> ratio(size, kFailedTimesBest);
    const double best = Best(source);
    for (const HistoryRecord& record : source.records) {
      if (record.latency_seconds > 0) ratio[record.index] = record.latency_seconds / best;
    }
    for (uint64_t i = 0; i < size; ++i) badness[i] += std::log(ratio[i]);
  }
  std::vector<space::ConfigurationIndex> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](space::ConfigurationIndex i) { return badness[i]; });
  std::vector<double> curve;
  double fraction = 0;
  for (const space::ConfigurationIndex i : order) {
    const measured::Record& record = space.table.At(i);
    if (record.outcome == work::Outcome::kOk) {
      fraction = std::max(fraction, *space.table.OptimumSeconds() / record.latency_seconds);
    }
    curve.push_back(fraction);
  }
  return curve;
}

}  // namespace burnish::bench
