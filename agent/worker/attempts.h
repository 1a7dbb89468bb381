// The two things a run worker does with candidates: measuring one, and comparing finalists.
// Failures of candidates are outcomes of the results. Blocking; not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/worker/reference_values.h"
#include "agent/worker/task.h"
#include "common/work/measurement.h"

namespace burnish::worker {

struct CandidateArtefact {
  space::Configuration configuration;
  std::string path;
};

// Verifies, times, verifies again. One that is clearly slower than `incumbent_seconds` is not timed
// to the end (flag `raced`); 0: each is.
work::Measurement Measure(const Task& task, const CandidateArtefact& candidate,
                          const ReferenceValues& reference, double incumbent_seconds);

// Verifies each finalist, then lets all take one sample per round, in an order drawn per round;
// half of the rounds in one process each, half in another.
work::Comparison Compare(const Task& task, const std::vector<CandidateArtefact>& finalists,
                         const ReferenceValues& reference, int rounds, uint64_t order_seed);

}  // namespace burnish::worker
