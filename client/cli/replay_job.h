// The text of a job whose device answers from a file of measurements. Pure.
#pragma once

#include <string>

#include "common/measured/measured_space.h"

namespace burnish::cli {

// `file` is what comments call it.
std::string ReplayJob(const measured::MeasuredSpace& measured, const std::string& file);

}  // namespace burnish::cli
