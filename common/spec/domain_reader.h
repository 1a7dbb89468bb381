// The values of a parameter: a list, or a mapping that describes them.
//
//   [32, 64, 128]                     {values: [32, 64, 128]}
//   {range: [1, 10]}                  whole numbers, both ends included
//   {range: [8, 64], step: 8}         from the first end, as far as the second
//   {range: [0.1, 0.9], steps: 5}     reals, evenly spaced; `spacing: log`: by equal factors
//   {powers_of_two: [1, 256]}
//   {divisors_of: n}
//   {permutations_of: [i, j, k]}      "ijk", "ikj", …; {permutations_of: 3}: "012", "021", …
//
// Numbers may be expressions over constants. With `when: EXPRESSION` a mapping is of a conditional
// parameter: where the expression over the other parameters is false, the parameter has the value
// `otherwise`, its first one if that is left out.
#pragma once

#include "absl/status/status.h"
#include "common/spec/document.h"
#include "common/spec/job_spec.h"

namespace burnish::spec {

// A value that a macro line can carry.
absl::Status CheckMacroValue(const Node& node);
// An error if the node is no scalar, or none of the parameter's values.
absl::StatusOr<expr::Value> FindValue(const Node& node, const space::Parameter& parameter);

// `node` stands under the parameter's name. The constants have been read.
absl::Status ReadDomain(const Node& node, const JobSpec& spec, space::Parameter& parameter);
// Adds the constraint of every conditional parameter, in the order of the parameters, which have
// been read.
absl::Status ReadActivities(const Node& parameters, JobSpec& spec);

}  // namespace burnish::spec
