#include "common/stats/clear_front.h"

#include <algorithm>
#include <numeric>

namespace burnish::stats {
namespace {

bool Equal(std::span<const Measured> a, std::span<const Measured> b) {
  return std::ranges::equal(a, b, {}, &Measured::value, &Measured::value);
}

bool Before(std::span<const Measured> a, std::span<const Measured> b) {
  return std::ranges::lexicographical_compare(a, b, {}, &Measured::value, &Measured::value);
}

}  // namespace

std::vector<size_t> ClearFront(std::span<const std::vector<Measured>> points) {
  std::vector<size_t> order(points.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // In this order no point is dominated by a later one.
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return Before(points[a], points[b]); });
  std::vector<size_t> front;
  std::vector<size_t> others;
  for (const size_t i : order) {
    const auto beats = [&](size_t other) { return ClearlyDominates(points[other], points[i]); };
    const bool stands_out =
        std::ranges::none_of(
            front, [&](size_t other) { return Equal(points[other], points[i]) || beats(other); }) &&
        // Rarely: clear dominance is not transitive.
        std::ranges::none_of(others, beats);
    (stands_out ? front : others).push_back(i);
  }
  return front;
}

}  // namespace burnish::stats
