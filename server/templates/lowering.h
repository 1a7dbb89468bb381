// From a workload to its schedule on a target: the union of all templates that serve it. Pure.
#pragma once

#include "absl/status/statusor.h"
#include "common/op/operator.h"
#include "common/work/schedule.h"
#include "server/templates/target.h"

namespace burnish::templates {

struct Lowered {
  // Its root parameter chooses the template; the parameters of other templates have their first
  // value then.
  work::Schedule schedule;
  space::Configuration textbook;  // what a textbook would choose, with the default's template
};

// InvalidArgument with each template's reason if none serves the operator.
absl::StatusOr<Lowered> Lower(const op::Operator& op, const Target& target);

}  // namespace burnish::templates
