// The sensors this program was built with, and which of a host's sensors measures a device. A new
// kind is one file with a factory declared here, and one line in registry.cc. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/sensors/sensor.h"
#include "common/base/clock.h"

namespace burnish::sensors {

// Where sensors are looked for. The clock outlives them.
struct Surroundings {
  std::string root = "/";
  std::string nvml_library = "libnvidia-ml.so.1";
  const Clock& clock = SystemClock();
};

// Those of a kind that this host has; they have not been read yet.
Sensors FindRapl(const Surroundings& surroundings);
Sensors FindHwmon(const Surroundings& surroundings);
Sensors FindIna3221(const Surroundings& surroundings);
Sensors FindAndroid(const Surroundings& surroundings);
Sensors FindNvml(const Surroundings& surroundings);
// A program, run by the shell, that prints a reading a line: `12.5` or `12.5 W` are watts, `1.5 J`
// are joules used so far.
std::unique_ptr<Sensor> MakeCommandSensor(const std::string& program, const Clock& clock);

// All that can be read; the log says which cannot, and why.
Sensors FindSensors(const Surroundings& surroundings);

// By `names`, best first: a kind ("rapl"), a sensor ("ina3221:VDD_IN"), `command:PROGRAM`, `auto`
// (all kinds) or `none`. InvalidArgument for what is no such thing, NotFound for what this host
// lacks, Unavailable for a program that gives no readings.
absl::StatusOr<Sensors> OpenSensors(const std::vector<std::string>& names,
                                    const Surroundings& surroundings);
// Just the check of the names.
absl::Status CheckSensorNames(const std::vector<std::string>& names);

// The one that says most of a device of this part (kCpu or kGpu): what covers the part before what
// covers the machine, then by class; by the first of the names that has one. Null if there is none,
// or if it cannot be told which of several chips is meant.
Sensor* ChooseSensor(const Sensors& sensors, const std::vector<std::string>& names, Part part);

}  // namespace burnish::sensors
