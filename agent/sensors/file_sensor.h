// A sensor whose readings come out of files of sysfs: the kinds differ only in which files, and in
// what their numbers mean.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "agent/sensors/host_condition.h"
#include "agent/sensors/sensor.h"

namespace burnish::sensors {

class FileSensor : public Sensor {
 public:
  // Watts, or the raw counter in joules, which starts again at 0 behind `range`.
  using ReadValue = std::function<absl::StatusOr<double>()>;
  FileSensor(SensorInfo info, const std::string& root, const Clock& clock, ReadValue read,
             double range = 0)
      : info_(std::move(info)),
        clock_(clock),
        read_(std::move(read)),
        unwrapped_(range),
        condition_(root) {}

  const SensorInfo& info() const override { return info_; }
  absl::StatusOr<Reading> Read() override;
  absl::StatusOr<Condition> ReadCondition() override { return condition_.Read(); }

 private:
  SensorInfo info_;
  const Clock& clock_;
  ReadValue read_;
  Unwrapped unwrapped_;
  HostCondition condition_;
};

}  // namespace burnish::sensors
