#include "server/costmodel/metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "common/base/check.h"

namespace burnish::costmodel {
namespace {

// Places of the values, the least first; equal ones in the order in which they stand.
std::vector<size_t> Ascending(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return values[i]; });
  return order;
}

std::vector<double> Ranks(std::span<const double> values) {
  const std::vector<size_t> order = Ascending(values);
  std::vector<double> ranks(values.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double mean_rank = static_cast<double>(begin + end - 1) / 2;
    for (; begin < end; ++begin) ranks[order[begin]] = mean_rank;
  }
  return ranks;
}

}  // namespace

std::optional<double> SpearmanCorrelation(std::span<const double> predicted,
                                          std::span<const double> observed) {
  CHECK(predicted.size() == observed.size());
  if (predicted.size() < 2) return std::nullopt;
  const std::vector<double> a = Ranks(predicted);
  const std::vector<double> b = Ranks(observed);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double products = 0;
  double squares_a = 0;
  double squares_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    products += (a[i] - mean) * (b[i] - mean);
    squares_a += (a[i] - mean) * (a[i] - mean);
    squares_b += (b[i] - mean) * (b[i] - mean);
  }
  if (squares_a == 0 || squares_b == 0) return std::nullopt;
  return products / std::sqrt(squares_a * squares_b);
}

std::optional<double> RegretAt(std::span<const double> predicted, std::span<const double> observed,
                               size_t k) {
  CHECK(predicted.size() == observed.size());
  if (observed.empty() || k == 0) return std::nullopt;
  const std::vector<size_t> order = Ascending(predicted);
  double chosen = observed[order[0]];
  for (size_t i = 1; i < std::min(k, order.size()); ++i) {
    chosen = std::min(chosen, observed[order[i]]);
  }
  return chosen / std::ranges::min(observed) - 1;
}

}  // namespace burnish::costmodel
