// T1, the auto-tuning community's input format, into a JobSpec: the dialects of KTT and of Kernel
// Tuner. Called by job_reader.cc; errors as there.
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/spec/document.h"
#include "common/spec/job_reader.h"
#include "common/spec/job_spec.h"
#include "common/spec/python_list.h"

namespace burnish::spec {

bool IsT1(const Node& root);

// What this version cannot run, the kernel's language above all, is no error but goes into
// JobSpec::unserved, so that `space` and `validate` work.
absl::StatusOr<JobSpec> ReadT1(const Node& root, const JobText& job, SourceCheck check);

// The node of constraints[index] of a T1 file; null if there is none.
const Node* FindT1Condition(const Node& root, size_t index);
// The name of the kernel's file, where this version would read it; null else.
const Node* FindT1KernelFile(const Node& root);

// `KernelSpecification` into `spec.kernels` and `spec.arguments`, after the parameters. An error is
// also what this version does not serve.
absl::Status ReadT1Kernel(const Node& kernel, const JobText& job, const NamedLists& lists,
                          JobSpec& spec);

}  // namespace burnish::spec
