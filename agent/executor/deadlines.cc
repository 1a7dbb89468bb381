#include "agent/executor/deadlines.h"

#include <variant>

namespace burnish::agent {

absl::Duration CompileDeadline(const Deadlines& deadlines, const work::TaskDefinition& task) {
  return absl::Seconds(task.measure.compile_timeout_seconds) + deadlines.compile_margin;
}

absl::Duration RunDeadline(const Deadlines& deadlines, const work::TaskDefinition& task,
                           const work::Work& work, bool reference_known) {
  absl::Duration deadline = absl::Seconds(task.measure.run_timeout_seconds) + deadlines.run_margin;
  const bool measures = std::holds_alternative<work::MeasureWork>(work);
  if (measures && !task.costly_goals.empty()) {
    deadline += 4 * absl::Seconds(task.measure.run_timeout_seconds) + deadlines.energy +
                deadlines.sustained;
  }
  // Each finalist may take what a candidate may take, on inputs whose reference values nobody has.
  const auto* const compare = std::get_if<work::CompareWork>(&work);
  if (compare != nullptr) deadline *= static_cast<double>(compare->finalists.size());
  if (!reference_known || compare != nullptr) deadline += deadlines.reference_allowance;
  return deadline;
}

}  // namespace burnish::agent
