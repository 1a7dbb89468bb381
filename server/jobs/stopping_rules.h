// When a task's search has gone far enough, by the rules of its budget that finished trials decide:
// patience, target, device seconds. (The trials themselves are counted by the search, the clock is
// the task run's.)
//
// Trials are looked at one by one, in the order in which they finished, and the first rule that one
// of them fulfils stays the reason whatever comes later: a restarted server decides the same. Pure,
// not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/spec/job_spec.h"
#include "server/store/store.h"

namespace burnish::jobs {

class StoppingRules {
 public:
  // With `verified_only` nothing else may win.
  StoppingRules(const spec::Budget& budget, bool verified_only)
      : budget_(budget), verified_only_(verified_only) {}

  // The next finished trial; `scaled_seconds` is its latency as the task's first device would have
  // had it.
  void Observe(const store::Trial& trial, double scaled_seconds);

  // Why the search ends; nothing as long as it goes on.
  const std::optional<std::string>& reason() const { return reason_; }
  // The lowest latency of those that may win, as measured.
  std::optional<double> best_seconds() const { return best_seconds_; }

 private:
  // Better by less is no better: as much differs between two measurements of one kernel.
  static constexpr double kImprovement = 0.01;

  std::optional<std::string> Decide() const;

  spec::Budget budget_;
  bool verified_only_;
  double device_seconds_ = 0;
  std::optional<double> best_seconds_;
  std::optional<double> mark_seconds_;  // scaled; the latency that has to be improved
  int64_t since_mark_ = 0;              // trials
  std::optional<std::string> reason_;
};

// The reason of a search that has reached so much of its device's roof.
inline constexpr char kRoofShareReached[] = "share of the roof reached";

}  // namespace burnish::jobs
