#include "common/stats/pareto.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "common/base/check.h"

namespace burnish::stats {
namespace {

bool NowhereWorse(std::span<const double> a, std::span<const double> b) {
  CHECK(a.size() == b.size()) << a.size() << " and " << b.size() << " coordinates";
  return std::ranges::equal(a, b, std::less_equal<>());
}

// Of the first `dimensions` coordinates of points that dominate the reference.
double Volume(std::vector<std::span<const double>> points, const Point& reference,
              size_t dimensions) {
  const size_t last = dimensions - 1;
  std::ranges::sort(points, {}, [&](std::span<const double> point) { return point[last]; });
  if (dimensions == 1) return points.empty() ? 0 : reference[0] - points[0][0];
  double volume = 0;
  double least = std::numeric_limits<double>::infinity();  // first coordinate up to here
  for (size_t i = 0; i < points.size(); ++i) {
    least = std::min(least, points[i][0]);
    const double end = i + 1 < points.size() ? points[i + 1][last] : reference[last];
    const double depth = end - points[i][last];
    if (depth <= 0) continue;
    volume += depth * (dimensions == 2 ? reference[0] - least
                                       : Volume({points.begin(), points.begin() + i + 1}, reference,
                                                dimensions - 1));
  }
  return volume;
}

}  // namespace

bool Dominates(std::span<const double> a, std::span<const double> b) {
  return NowhereWorse(a, b) && !std::ranges::equal(a, b);
}

bool ClearlyDominates(std::span<const Measured> a, std::span<const Measured> b) {
  CHECK(a.size() == b.size()) << a.size() << " and " << b.size() << " coordinates";
  bool better = false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].value > b[i].value) return false;
    better = better || a[i].interval.high < b[i].interval.low;
  }
  return better;
}

std::vector<size_t> ParetoFront(std::span<const Point> points) {
  std::vector<size_t> order(points.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // In this order no point is dominated by a later one.
  std::ranges::stable_sort(order, {}, [&](size_t i) -> const Point& { return points[i]; });
  std::vector<size_t> front;
  for (const size_t i : order) {
    const bool beaten = std::ranges::any_of(
        front, [&](size_t other) { return NowhereWorse(points[other], points[i]); });
    if (!beaten) front.push_back(i);
  }
  return front;
}

std::vector<size_t> NondominatedRanks(std::span<const Point> points) {
  const size_t n = points.size();
  std::vector<std::vector<size_t>> dominated(n);  // by the point
  std::vector<size_t> dominators(n, 0);           // that have no rank yet
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      if (!Dominates(points[i], points[j])) continue;
      dominated[i].push_back(j);
      ++dominators[j];
    }
  }
  std::vector<size_t> ranks(n, 0);
  std::vector<size_t> ranked;
  for (size_t i = 0; i < n; ++i) {
    if (dominators[i] == 0) ranked.push_back(i);
  }
  for (size_t next = 0; next < ranked.size(); ++next) {
    for (const size_t j : dominated[ranked[next]]) {
      if (--dominators[j] > 0) continue;
      ranks[j] = ranks[ranked[next]] + 1;
      ranked.push_back(j);
    }
  }
  return ranks;
}

std::vector<double> CrowdingDistances(std::span<const Point> points) {
  std::vector<double> distances(points.size(), 0);
  std::vector<size_t> order(points.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t c = 0; !points.empty() && c < points[0].size(); ++c) {
    const auto coordinate = [&](size_t i) { return points[i][c]; };
    std::ranges::stable_sort(order, {}, coordinate);
    const double range = coordinate(order.back()) - coordinate(order.front());
    if (!(range > 0)) continue;
    for (size_t place = 1; place + 1 < order.size(); ++place) {
      distances[order[place]] +=
          (coordinate(order[place + 1]) - coordinate(order[place - 1])) / range;
    }
    distances[order.front()] = distances[order.back()] = std::numeric_limits<double>::infinity();
  }
  return distances;
}

double Hypervolume(std::span<const Point> points, const Point& reference) {
  std::vector<std::span<const double>> inside;
  for (const Point& point : points) {
    CHECK(point.size() == reference.size());
    if (std::ranges::equal(point, reference, std::less<>())) inside.emplace_back(point);
  }
  return Volume(std::move(inside), reference, reference.size());
}

std::optional<size_t> Knee(std::span<const Point> front) {
  if (front.empty()) return std::nullopt;
  std::vector<double> sums(front.size(), 0);
  for (size_t c = 0; c < front[0].size(); ++c) {
    std::vector<double> scaled;
    for (const Point& point : front) scaled.push_back(point[c]);
    if (std::ranges::min(scaled) > 0) {
      for (double& value : scaled) value = std::log(value);
    }
    const auto [least, largest] = std::ranges::minmax(scaled);
    if (!(largest > least)) continue;
    for (size_t i = 0; i < front.size(); ++i) sums[i] += (scaled[i] - least) / (largest - least);
  }
  return std::ranges::min_element(sums) - sums.begin();
}

}  // namespace burnish::stats
