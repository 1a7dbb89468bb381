// The roofs that were measured on this host before, as files of the agent's state folder: one for
// each device class, environment and version of Burnish, so that a restart measures nothing again
// and a new compiler or kernel does. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "common/work/device.h"

namespace burnish::agent {

class RoofsCache {
 public:
  explicit RoofsCache(std::string folder) : folder_(std::move(folder)) {}

  // Nothing if there are none, or none that can be read.
  std::optional<work::Roofs> Find(const work::DeviceInfo& device) const;
  // What cannot be written is logged, and measured again some day.
  void Put(const work::DeviceInfo& device, const work::Roofs& roofs) const;

 private:
  std::string PathOf(const work::DeviceInfo& device) const;

  const std::string folder_;
};

}  // namespace burnish::agent
