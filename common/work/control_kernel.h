// The control kernel: a fixed one per backend, measured on a device again and again. That it runs
// and is right says that the device is in order; its time, kept beside the candidates', tells the
// clocks and the load of a moment from the merit of a candidate. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "common/work/task_definition.h"

namespace burnish::work {

// It has no parameters: its configuration is empty. Nothing for a backend that has none.
std::optional<TaskDefinition> ControlKernel(std::string_view backend);

}  // namespace burnish::work
