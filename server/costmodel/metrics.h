// How well predictions order what was observed. Both are of latencies, or of anything else of which
// less is better. Functions are thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace burnish::costmodel {

// Spearman's rank correlation, from -1 to 1; equal values share their mean rank. Nothing with fewer
// than two pairs, or if all values of one side are equal.
std::optional<double> SpearmanCorrelation(std::span<const double> predicted,
                                          std::span<const double> observed);

// What choosing by prediction loses: the best observed among the `k` predicted as the best, over
// the best of all, less one; of equal predictions those that come first are taken. Observed values
// are above zero. Nothing without values, or with a `k` of zero.
std::optional<double> RegretAt(std::span<const double> predicted, std::span<const double> observed,
                               size_t k);

}  // namespace burnish::costmodel
