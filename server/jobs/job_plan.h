// What a job's stored text says of a task, read once: the spec, its search space, its strategy.
// Immutable; copies share what was read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/spec/job_reader.h"
#include "common/work/roofs.h"
#include "server/costmodel/roofline.h"
#include "server/jobs/criteria.h"
#include "server/search/strategy.h"
#include "server/store/history.h"

namespace burnish::jobs {

class JobPlan {
 public:
  // Refuses, with the place in the job file, whatever keeps the job from being tuned on any device.
  // A workload's task has a schedule (work::ToText), which a user's kernel has not.
  static absl::StatusOr<JobPlan> Read(const spec::JobText& text, const std::string& schedule = "");
  // The plan of a task with this history. DataLoss if a record is of no configuration of the space.
  absl::StatusOr<JobPlan> WithHistory(const std::vector<store::HistorySource>& history) const;

  const spec::JobSpec& spec() const { return *spec_; }
  const space::SearchSpace& space() const { return space_->space; }
  space::ConfigurationIndex default_index() const { return space_->default_index; }

  // With a reference only what was verified may win.
  const Criteria& criteria() const { return criteria_; }
  // Distinct configurations that will be tried at most.
  int64_t trials() const;
  // The space, and not the budget, is what ends the search.
  bool space_below_budget() const { return trials() < spec_->budget.trials; }
  bool latency_alone() const;  // is the objective
  // Of the default configuration: latencies of all configurations are held against the same work.
  work::KernelWork work() const;
  // Whether roofs would give configurations different bounds of what is sought, which is latency
  // alone.
  bool roofline_tells_apart() const;
  // Of one whose work depends on the parameters.
  costmodel::Roofline RooflineOf(const work::Roofs& roofs) const;
  // A new strategy that has seen nothing but the history, and proposes nothing that `bound`, if
  // there is one, rules out. It refers to space(), which stays where it is when the plan is moved.
  std::unique_ptr<search::Strategy> NewStrategy(search::LatencyBound bound = nullptr) const;
  // Whether a new strategy would learn from a history, if the plan had one.
  bool LearnsFromHistory() const;

 private:
  JobPlan(spec::JobSpec spec, spec::JobSpace space, Criteria criteria);
  absl::StatusOr<std::unique_ptr<search::Strategy>> TryStrategy(search::LatencyBound bound) const;

  std::shared_ptr<const spec::JobSpec> spec_;
  std::shared_ptr<const spec::JobSpace> space_;
  Criteria criteria_;
  std::vector<search::HistorySource> history_;
};

}  // namespace burnish::jobs
