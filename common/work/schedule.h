// How a workload is computed on a device class: the search space, and the sources that take its
// parameters. Made from templates when a job is submitted and kept with its tasks, so that a task
// means the same for ever, whatever becomes of the templates. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/spec/job_reader.h"
#include "common/spec/job_spec.h"

namespace burnish::work {

// The root parameter of a schedule: which template a configuration belongs to, as ID@VERSION.
inline constexpr std::string_view kTemplateParameter = "template";

struct Schedule {
  std::vector<space::Parameter> parameters;
  std::vector<std::string> constraints;  // expressions
  space::Configuration default_configuration;
  spec::Kernel kernel;  // takes the operator's tensors, and a workspace behind them
  int64_t workspace_bytes = 0;
};

// JSON, and back. DataLoss for what is not such a text.
std::string ToText(const Schedule& schedule);
absl::StatusOr<Schedule> ScheduleFromText(std::string_view text);

// The job spec that a user would have written for the workload with this schedule: kernel,
// arguments, parameters; the reference is the operator itself. `spec.workload` must be there.
absl::StatusOr<spec::JobSpec> WithSchedule(const spec::JobSpec& spec, const Schedule& schedule);

// The spec that a stored job's text and its task's schedule, empty for a user's kernel, come to.
absl::StatusOr<spec::JobSpec> ReadScheduledJob(const spec::JobText& text,
                                               std::string_view schedule);

}  // namespace burnish::work
