// From a workload to kernels: the union of all templates that serve it on a target, as the job spec
// that a user would have written for them. What comes behind knows no workloads. Pure.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/spec/job_spec.h"
#include "server/templates/target.h"

namespace burnish::templates {

// The root parameter: which template a configuration belongs to, as ID@VERSION. The parameters of
// other templates have their first value then.
inline constexpr std::string_view kTemplateParameter = "template";

struct Lowered {
  spec::JobSpec spec;             // with kernels; its reference is the operator itself
  space::Configuration textbook;  // what a textbook would choose, with the default's template
};

// `spec.workload` must be there. InvalidArgument with each template's reason if none serves it.
absl::StatusOr<Lowered> Lower(const spec::JobSpec& spec, const Target& target);

}  // namespace burnish::templates
