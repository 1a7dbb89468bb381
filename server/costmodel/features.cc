#include "server/costmodel/features.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "common/base/limits.h"

namespace burnish::costmodel {
namespace {

// Nothing if a value is no number above zero.
std::optional<std::vector<float>> LogarithmsOf(const space::Parameter& parameter) {
  std::vector<float> logarithms;
  for (const expr::Value& value : parameter.values) {
    double number = 0;
    if (const auto* integer = std::get_if<int64_t>(&value)) number = static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&value)) number = *real;
    if (!(number > 0)) return std::nullopt;
    logarithms.push_back(static_cast<float>(std::log2(number)));
  }
  return logarithms;
}

}  // namespace

Features::Features(const space::SearchSpace& space) : layout_(space.layout()), encoding_(space) {
  for (const Encoding::Coordinate& coordinate : encoding_.coordinates()) {
    auto logarithms = LogarithmsOf(space.parameters()[coordinate.parameter]);
    if (logarithms) logarithms_.push_back({coordinate.parameter, *std::move(logarithms)});
  }
  std::ranges::stable_sort(logarithms_, std::ranges::greater(),
                           [](const Logarithms& l) { return l.of_value.size(); });
  // By the second place, so that the largest domains are paired with one another first.
  for (size_t other = 1; other < logarithms_.size(); ++other) {
    for (size_t one = 0; one < other && pairs_.size() < limits::kFeaturePairs; ++one) {
      pairs_.push_back({one, other});
    }
  }
}

void Features::Compute(const space::Row& row, float* features) const {
  encoding_.Encode(row, features);
  features += encoding_.dimensions();
  const auto logarithm = [&](size_t place) {
    const Logarithms& logarithms = logarithms_[place];
    return logarithms.of_value[layout_.Get(row.data(), logarithms.parameter)];
  };
  for (const Pair& pair : pairs_) {
    *features++ = logarithm(pair.one) + logarithm(pair.other);
    *features++ = logarithm(pair.one) - logarithm(pair.other);
  }
}

}  // namespace burnish::costmodel
