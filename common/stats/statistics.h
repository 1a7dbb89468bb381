// Order statistics of timing samples. Pure functions; inputs need not be sorted and must be finite.
#pragma once

#include <span>
#include <vector>

namespace burnish::stats {

struct Interval {
  double low = 0;
  double high = 0;
};

double Median(std::span<const double> values);
// Linear interpolation between order statistics (Hyndman and Fan, type 7). q in [0, 1].
double Quantile(std::span<const double> values, double q);
// Median absolute deviation from the median, divided by the median (0 if the median is 0).
double RelativeMad(std::span<const double> values);

// Distribution-free interval of the q-quantile from order statistics and binomial tails
// (Conover 1999, section 3.2). With too few values for the confidence it is the full range.
Interval QuantileInterval(std::span<const double> values, double q, double confidence = 0.95);

// Interval of the median of a[i] / b[i] over rounds in which both were measured side by side.
// The two spans have equal size.
struct PairedRatio {
  double median = 1;
  Interval interval;
};
PairedRatio MedianPairedRatio(std::span<const double> a, std::span<const double> b,
                              double confidence = 0.95);

}  // namespace burnish::stats
