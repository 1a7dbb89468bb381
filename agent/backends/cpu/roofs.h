// What this processor can do at most, measured with code compiled for it: multiply-adds per second
// by element type, and bytes read per second from each level of its memory, with one thread and
// with all.
//
// A roof is a maximum and machines are busy: of many samples of half a millisecond the best one
// counts, taken in several rounds over all figures, so that no single disturbance spoils one.
#pragma once

#include "agent/backends/backend.h"

namespace burnish::backends::cpu {

class CpuRoofMeter : public RoofMeter {
 public:
  // Past the time limit what has one round of samples is given.
  absl::StatusOr<work::Roofs> Measure(const RoofJob& job) const override;
};

}  // namespace burnish::backends::cpu
