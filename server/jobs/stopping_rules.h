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
#include <utility>
#include <vector>

#include "common/spec/job_spec.h"
#include "server/jobs/criteria.h"
#include "server/store/store.h"

namespace burnish::jobs {

class StoppingRules {
 public:
  StoppingRules(const spec::Budget& budget, Criteria criteria)
      : budget_(budget), criteria_(std::move(criteria)) {}

  // The next finished trial; `costs` are what it costs by each objective, with the latency that the
  // task's first device would have had.
  void Observe(const store::Trial& trial, const std::vector<double>& costs);

  // Why the search ends; nothing as long as it goes on.
  const std::optional<std::string>& reason() const { return reason_; }
  // The lowest latency of those that may win, as measured.
  std::optional<double> best_seconds() const { return best_seconds_; }

 private:
  // Better by less is no better: as much differs between two measurements of one kernel.
  static constexpr double kImprovement = 0.01;

  // Whether it is better than each of the marks in some objective; it then becomes one itself.
  bool Improves(const std::vector<double>& costs);
  std::optional<std::string> Decide() const;

  spec::Budget budget_;
  Criteria criteria_;
  double device_seconds_ = 0;
  std::optional<double> best_seconds_;
  // The costs that have to be improved: with one objective the least, with several a front.
  std::vector<std::vector<double>> marks_;
  int64_t since_mark_ = 0;  // trials
  std::optional<std::string> reason_;
};

// The reason of a search that has reached so much of its device's roof.
inline constexpr char kRoofShareReached[] = "share of the roof reached";

}  // namespace burnish::jobs
