// The search of one task in memory: its strategy, what has been proposed, what has been observed.
//
// Rebuilt from the stored trials by repeating the calls that made them, so that a restarted server
// proposes what an uninterrupted one would have proposed. Talks to no store. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/jobs/device_ratios.h"
#include "server/jobs/job_plan.h"
#include "server/jobs/stopping_rules.h"
#include "server/store/store.h"

namespace burnish::jobs {

class TaskSearch {
 public:
  // `plan` outlives the search; `trials` are in order of number. An error means that the trials are
  // not of this plan's space.
  static absl::StatusOr<TaskSearch> Rebuild(const JobPlan& plan,
                                            const std::vector<store::Trial>& trials);

  // Finished trials, from position observed() on.
  void Observe(std::span<const store::Trial> finished);
  // New trials until `pending_target` are pending or nothing is left to propose. Trial 0 is the
  // default configuration.
  std::vector<store::NewTrial> Propose(int pending_target);
  // Trials that were taken back; nothing may be proposed afterwards.
  void Withdraw(int64_t count) { pending_ -= count; }

  int64_t observed() const { return observed_; }
  int64_t pending() const { return pending_; }
  // Everything that may be proposed is, and has ended.
  bool Complete() const { return pending_ == 0 && (exhausted_ || next_number_ >= plan_->trials()); }
  const StoppingRules& rules() const { return rules_; }
  // Why going on is pointless, if the first limits::kTrialsBeforeHopeless trials that ended, or all
  // there are, have failed.
  std::optional<std::string> Hopeless() const;

 private:
  explicit TaskSearch(const JobPlan& plan);
  // Repeats the calls that made `trials`. With `adopt` the strategy is told what it proposed
  // instead of being asked; without, false if it proposes something else.
  bool Replay(const std::vector<store::Trial>& trials, bool adopt);

  const JobPlan* plan_;
  std::unique_ptr<search::Strategy> strategy_;
  int64_t next_number_ = 0;
  int64_t observed_ = 0;
  int64_t pending_ = 0;
  bool exhausted_ = false;
  DeviceRatios ratios_;
  StoppingRules rules_;
  std::vector<store::Trial> opening_;  // the trials that ended first
};

}  // namespace burnish::jobs
