// The search of one task in memory: its strategy, what has been proposed, what has been observed.
//
// Rebuilt from the stored trials by repeating the calls that made them, so that a restarted server
// proposes what an uninterrupted one would have proposed. Talks to no store. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/jobs/device_ratios.h"
#include "server/jobs/job_plan.h"
#include "server/jobs/stopping_rules.h"
#include "server/search/foresight.h"
#include "server/store/store.h"

namespace burnish::jobs {

class TaskSearch {
 public:
  // `plan` outlives the search; `trials` are in order of number; `roofs` are the task's. An error
  // means that the trials are not of this plan's space.
  static absl::StatusOr<TaskSearch> Rebuild(const JobPlan& plan,
                                            const std::vector<store::Trial>& trials,
                                            const std::optional<store::TaskRoofs>& roofs = {});

  // From the next proposal on, what by them cannot beat the best is passed over. Once.
  store::TaskRoofs Fix(const work::Roofs& roofs);
  bool has_roofs() const { return bound_->roofs.has_value(); }
  // How well its model has foretold so far.
  search::Foresight foresight() const { return ForesightOf(strategy_->expectations(), costs_); }
  std::optional<search::Pruned> pruned() const { return strategy_->pruned(); }

  // Finished trials, from position observed() on.
  void Observe(std::span<const store::Trial> finished);
  // New trials until `pending_target` are pending or nothing is left to propose. Trial 0 is the
  // default configuration. They race against the best that was observed.
  std::vector<store::NewTrial> Propose(int pending_target);
  // Trials that were taken back; nothing may be proposed afterwards.
  void Withdraw(int64_t count) { pending_ -= count; }

  int64_t observed() const { return observed_; }
  int64_t pending() const { return pending_; }
  // Everything that may be proposed is, and has ended.
  bool Complete() const { return pending_ == 0 && (exhausted_ || next_number_ >= plan_->trials()); }
  // The strategy had nothing left before the budget was spent.
  bool exhausted() const { return exhausted_; }
  const StoppingRules& rules() const { return rules_; }
  // Why going on is pointless, if the first limits::kTrialsBeforeHopeless trials that ended, or all
  // there are, have failed.
  std::optional<std::string> Hopeless() const;

 private:
  // Where the strategy looks its bound up: there is none before its time has come.
  struct Bound {
    std::optional<store::TaskRoofs> roofs;
    std::optional<costmodel::Roofline> roofline;
  };

  TaskSearch(const JobPlan& plan, std::optional<store::TaskRoofs> roofs);
  std::optional<space::ConfigurationIndex> ProposeNext(TrialNumber number);
  void NoteIncumbent(const store::Trial& finished);
  // Repeats the calls that made `trials`. With `adopt` the strategy is told what it proposed
  // instead of being asked; without, false if it proposes something else.
  bool Replay(const std::vector<store::Trial>& trials, bool adopt);

  const JobPlan* plan_;
  std::unique_ptr<Bound> bound_;
  std::unique_ptr<search::Strategy> strategy_;
  int64_t next_number_ = 0;
  int64_t observed_ = 0;
  int64_t pending_ = 0;
  bool exhausted_ = false;
  DeviceRatios ratios_;
  std::map<TrialNumber, double> costs_;  // the first cost of what succeeded
  StoppingRules rules_;
  std::optional<work::Incumbent> incumbent_;  // of a task that looks for speed alone
  std::vector<store::Trial> opening_;         // the trials that ended first
};

}  // namespace burnish::jobs
