#include "common/stats/statistics.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "common/base/check.h"

namespace burnish::stats {
namespace {

std::vector<double> Sorted(std::span<const double> values) {
  CHECK(!values.empty());
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return sorted;
}

double QuantileOfSorted(const std::vector<double>& sorted, double q) {
  CHECK(q >= 0 && q <= 1) << q;
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

// The number of values below the q-quantile is binomial, so the order statistics X(low) ≤ X(high)
// enclose it but for the probability of its two tails.
class OrderStatistics {
 public:
  OrderStatistics(int n, double q) : n_(n), below_(n, q) {}

  // P(quantile < X(rank)), rank from 1.
  double LowerTail(int rank) const { return boost::math::cdf(below_, rank - 1); }
  // P(X(rank) < quantile).
  double UpperTail(int rank) const {
    return boost::math::cdf(boost::math::complement(below_, rank - 1));
  }
  // The largest rank whose lower tail is at most `tail`; 0 if there is none.
  int LowerRank(double tail) const {
    return LastRank([&](int rank) { return LowerTail(rank) <= tail; });
  }
  // The smallest rank whose upper tail is at most `tail`; n + 1 if there is none.
  int UpperRank(double tail) const {
    return LastRank([&](int rank) { return UpperTail(rank) > tail; }) + 1;
  }

 private:
  // The last rank that fulfils `holds`, as all those before it do; 0 if none does.
  template <typename Holds>
  int LastRank(const Holds& holds) const {
    int last = 0;
    int end = n_ + 1;
    while (end - last > 1) {
      const int middle = last + (end - last) / 2;
      (holds(middle) ? last : end) = middle;
    }
    return last;
  }

  int n_;
  boost::math::binomial below_;
};

}  // namespace

double Median(std::span<const double> values) { return Quantile(values, 0.5); }

double Quantile(std::span<const double> values, double q) {
  return QuantileOfSorted(Sorted(values), q);
}

double RelativeMad(std::span<const double> values) {
  const double median = Median(values);
  if (median == 0) return 0;
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - median));
  return Median(deviations) / std::abs(median);
}

Interval QuantileInterval(std::span<const double> values, double q, double confidence) {
  CHECK(q > 0 && q < 1 && confidence > 0 && confidence < 1) << q << " " << confidence;
  const std::vector<double> sorted = Sorted(values);
  const int n = static_cast<int>(sorted.size());
  const OrderStatistics order(n, q);
  const double alpha = 1 - confidence;
  int low = order.LowerRank(alpha / 2);
  int high = order.UpperRank(alpha / 2);
  // Where one tail cannot be as small as half of alpha, the other has to make up for it.
  if (low < 1 && high <= n) high = order.UpperRank(alpha - order.LowerTail(1));
  if (high > n && low >= 1) low = order.LowerRank(alpha - order.UpperTail(n));
  // A tail that still has no rank means too few values for the confidence.
  return {.low = sorted[std::max(low, 1) - 1], .high = sorted[std::min(high, n) - 1]};
}

PairedRatio MedianPairedRatio(std::span<const double> a, std::span<const double> b,
                              double confidence) {
  CHECK(a.size() == b.size()) << a.size() << " " << b.size();
  std::vector<double> ratios;
  for (size_t i = 0; i < a.size(); ++i) ratios.push_back(a[i] / b[i]);
  return {.median = Median(ratios), .interval = QuantileInterval(ratios, 0.5, confidence)};
}

}  // namespace burnish::stats
