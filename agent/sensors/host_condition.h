// How hot the processor is, and whether heat holds it back, from a host's sysfs. Its clock tells
// nothing: cores that have just become idle lower it, and boost clocks cannot be held.
#pragma once

#include <string>

#include "agent/sensors/sensor.h"

namespace burnish::sensors {

class HostCondition {
 public:
  explicit HostCondition(std::string root);
  // What the host does not tell is absent. It throttles if it has done so since the last call.
  Condition Read();

 private:
  std::string root_;
  std::vector<std::string> temperatures_;  // files, in thousandths of a degree
  double throttles_ = -1;                  // as counted at the last call; -1: not yet
};

}  // namespace burnish::sensors
