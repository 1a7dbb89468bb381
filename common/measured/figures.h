// What a record says beside its time, in the units that Burnish uses. Pure.
#pragma once

#include "common/measured/measured_space.h"
#include "common/work/measurement.h"

namespace burnish::measured {

// From metrics named energy, power or memory, or as Kernel Tuner's observers name them
// (nvml_energy), in the unit given, else in joules, watts and bytes; other units are none. Of
// energy and power each follows from the other and the latency.
work::Figures FiguresOf(const Record& record);

}  // namespace burnish::measured
