// The sections of a job file, each read into its part of a JobSpec. Called by job_reader.cc in
// file-independent order: constants first, since expressions everywhere use them.
#pragma once

#include "absl/status/status.h"
#include "common/spec/document.h"
#include "common/spec/fields.h"
#include "common/spec/job_reader.h"
#include "common/spec/job_spec.h"

namespace burnish::spec {

const Vocabulary& KernelKeys();
// `kernel:` with everything under it.
absl::Status ReadKernel(const Node& kernel, const JobText& job, SourceCheck check, JobSpec& spec);

const Vocabulary& WorkloadKeys();
// `workload:` with everything under it.
absl::Status ReadWorkload(const Node& workload, JobSpec& spec);

// Keys of `kernel:`.
absl::Status ReadConstants(const Node& constants, JobSpec& spec);
absl::Status ReadParameters(const Node& parameters, JobSpec& spec);  // after the constants
absl::Status ReadDefault(const Node& configuration, JobSpec& spec);  // after the parameters
absl::Status ReadConstraints(const Node& constraints, JobSpec& spec);
absl::Status ReadArguments(const Node& arguments, JobSpec& spec);
absl::Status ReadWork(const Node& work, JobSpec& spec);
absl::Status ReadReference(const Node& reference, const JobText& job, SourceCheck check,
                           JobSpec& spec);

// `{file: NAME}` with its text out of `job`.
absl::StatusOr<Source> ReadSource(const Node& source, const JobText& job, SourceCheck check);

// Keys beside `kernel:`.
absl::Status ReadDevices(const Node& devices, JobSpec& spec);
absl::Status ReadObjectives(const Node& objectives, JobSpec& spec);
absl::Status ReadLimits(const Node& limits, JobSpec& spec);
absl::Status ReadMeasure(const Node& measure, JobSpec& spec);
absl::Status ReadBudget(const Node& budget, JobSpec& spec);
absl::Status ReadStrategy(const Node& strategy, JobSpec& spec);

}  // namespace burnish::spec
