// Writes measured spaces for other tuners, as text. What a format cannot hold is left out: outcomes
// become the nearest ones it knows, and `infrastructure`, which says nothing of a configuration,
// makes no record. Pure functions.
#pragma once

#include <string>

#include "common/measured/measured_space.h"

namespace burnish::measured {

// T4 in milliseconds, with the compile time under both of its names.
std::string WriteT4(const MeasuredSpace& space);
// A closed cache file of Kernel Tuner.
std::string WriteKernelTunerCache(const MeasuredSpace& space);

}  // namespace burnish::measured
