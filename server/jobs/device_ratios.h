// How the devices that serve one task compare, by the control kernel: the factors that bring their
// times to those of the task's first device.
//
// Of each device the fastest control time counts, because load and heat only ever add to it; a
// device of which none is known counts as it is. Depends on nothing but what was added.
#pragma once

#include <map>

#include "server/store/store.h"

namespace burnish::jobs {

class DeviceRatios {
 public:
  // A finished trial, in order of observation.
  void Add(const store::Trial& trial);
  // The trial's latency as the first device would have had it. The trial has a latency.
  double ScaledSeconds(const store::Trial& trial) const;

 private:
  DeviceId first_;
  std::map<DeviceId, double> control_seconds_;  // the fastest
};

}  // namespace burnish::jobs
