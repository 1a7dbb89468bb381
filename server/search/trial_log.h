// The trials of a search in order of proposal, and what has been seen of them. Not thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/search/strategy.h"

namespace burnish::search {

class TrialLog {
 public:
  explicit TrialLog(size_t objectives = 1) : log_costs_(objectives) {}

  // Nothing happens if it is there.
  void Add(space::ConfigurationIndex index);
  // Adds what is not there; the first observation of a trial counts.
  void Observe(std::span<const Observation> observations);

  const std::vector<space::ConfigurationIndex>& indices() const { return indices_; }
  size_t objectives() const { return log_costs_.size(); }
  // By trial; +∞: it failed; NaN: pending.
  const std::vector<double>& log_costs(size_t objective = 0) const { return log_costs_[objective]; }
  size_t size() const { return indices_.size(); }
  size_t observed() const { return observed_; }
  size_t successes() const { return successes_; }
  // The trial with the least first cost; nothing without a success.
  std::optional<size_t> best() const { return best_; }
  // Trials with a success, the fastest first; at most `count`.
  std::vector<size_t> Fastest(size_t count) const;
  // The same trials, but with one objective of such costs; infinite and NaN where these are.
  TrialLog WithLogCosts(std::vector<double> log_costs) const;

 private:
  std::vector<space::ConfigurationIndex> indices_;
  std::vector<std::vector<double>> log_costs_;  // by objective
  absl::flat_hash_map<space::ConfigurationIndex, size_t> trial_of_;
  size_t observed_ = 0;
  size_t successes_ = 0;
  std::optional<size_t> best_;
};

}  // namespace burnish::search
