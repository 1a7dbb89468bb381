#include "agent/executor/deadlines.h"

#include <algorithm>
#include <variant>

namespace burnish::agent {
namespace {

// Of buffers that are filled, checked and copied, some times over, by a slow board.
constexpr double kBytesPerSecond = 20e6;

double BufferBytes(const work::TaskDefinition& task) {
  double bytes = 0;
  for (const spec::Argument& argument : task.arguments) {
    bytes += static_cast<double>(argument.ElementCount()) *
             static_cast<double>(DtypeBytes(argument.dtype));
  }
  return bytes;
}

}  // namespace

absl::Duration CompileDeadline(const Deadlines& deadlines, const work::TaskDefinition& task) {
  return absl::Seconds(task.measure.compile_timeout_seconds) + deadlines.compile_margin;
}

absl::Duration RunDeadline(const Deadlines& deadlines, const work::TaskDefinition& task,
                           const work::Work& work, bool reference_known) {
  const absl::Duration timeout = absl::Seconds(task.measure.run_timeout_seconds);
  const absl::Duration margin =
      deadlines.run_margin + BufferBytes(task) / kBytesPerSecond * absl::Seconds(1);
  // A reference may take ten times as long on each of the three sets of inputs.
  const absl::Duration reference = std::max(deadlines.reference_allowance, 30 * timeout);
  if (const auto* const compare = std::get_if<work::CompareWork>(&work)) {
    // Each in two processes, for twice as long, on inputs whose reference values nobody has.
    return static_cast<double>(compare->finalists.size()) * (4 * timeout + margin) + reference;
  }
  absl::Duration deadline = timeout + margin;
  if (!task.costly_goals.empty()) {
    deadline += 4 * timeout + deadlines.energy + deadlines.sustained;
  }
  if (!reference_known) deadline += reference;
  return deadline;
}

}  // namespace burnish::agent
