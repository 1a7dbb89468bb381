// Mistakes that kernels are made with, each planted into a right one, and which check finds it.
#pragma once

#include <string>
#include <vector>

#include "common/work/task_definition.h"

namespace burnish::verification {

struct PlantedBug {
  std::string name;
  work::TaskDefinition task;
  std::string outcome;  // "wrong_result"
  std::string message;  // that a part of the measurement's has to be
  std::string check;    // which finds it: "as filled", "structured", ...
};

const std::vector<PlantedBug>& PlantedBugs();
// What the bugs are planted into.
const std::vector<work::TaskDefinition>& SoundKernels();

}  // namespace burnish::verification
