// Everything an agent needs to know of a task, sent to it once; trials then carry only values.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/ids.h"
#include "common/spec/job_spec.h"

namespace burnish::work {

struct TaskDefinition {
  std::string problem;  // the job's kernel name, for people
  std::vector<spec::Kernel> stages;
  std::vector<spec::Argument> arguments;
  std::vector<std::pair<std::string, expr::Value>> constants;
  std::vector<std::string> parameter_names;
  spec::Reference reference;
  spec::MeasureOptions measure;
  uint64_t input_seed = 1;
  // Objectives and limits (work::GoalsText) where what takes long to measure is among them (energy,
  // power, sustained latency), so that it is measured of what can still win; else empty.
  std::string costly_goals;
};

TaskDefinition MakeTaskDefinition(const spec::JobSpec& spec);

// Canonical text of a definition (JSON with sorted keys); its SHA-256 is the TaskHash.
std::string CanonicalText(const TaskDefinition& definition);
TaskHash HashOf(const TaskDefinition& definition);

// Identity of the problem without its code, stored beside the source hash in every record: a user's
// kernel's name, constants and arguments; a workload however it is written.
std::string ProblemKey(const spec::JobSpec& spec);
std::string SourceHash(const spec::JobSpec& spec);
// What two tasks must have in common for the measurements of one to say something of the other: a
// user's kernel its code, whatever its constants; a workload its operator, whatever its shape.
std::string KernelFamily(const spec::JobSpec& spec);

// The macro lines put before a candidate's source: `#define NAME VALUE` for the configuration and
// the listed constants.
std::string MacroLines(const TaskDefinition& definition, const spec::Kernel& stage,
                       const space::Configuration& configuration);
// The stage's source for the configuration. InvalidArgument if it has none for the value of the
// parameter that chooses.
absl::StatusOr<spec::Source> SourceOf(const spec::Kernel& stage,
                                      const space::Configuration& configuration);
// `{PARAMETER}` replaced in every flag.
std::vector<std::string> ExpandFlags(const std::vector<std::string>& flags,
                                     const space::Configuration& configuration);

}  // namespace burnish::work
