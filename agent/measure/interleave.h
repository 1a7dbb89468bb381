// Comparing finalists side by side: in every round each takes one sample, in an order drawn anew,
// so that drift of the machine hits all alike. Pure policy over a sampling function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "common/work/measurement.h"

namespace burnish::measure {

// A contestant whose sample fails leaves the comparison; the samples it has stay.
using SampleContestant = absl::FunctionRef<absl::StatusOr<work::Sample>(size_t contestant)>;

struct Contest {
  std::vector<std::vector<work::Sample>> rounds;  // by contestant
  std::vector<absl::Status> ends;                 // by contestant: ok, or why it left
};

// Another round is begun only if `another`; those that were begun are taken to their end by all.
Contest Interleave(const std::vector<bool>& running, int rounds, uint64_t order_seed,
                   SampleContestant sample, absl::FunctionRef<bool()> another);
// `running` says which of the contestants take part at all.
Contest Interleave(const std::vector<bool>& running, int rounds, uint64_t order_seed,
                   SampleContestant sample);

}  // namespace burnish::measure
