#include "agent/sensors/file_sensor.h"

#include "common/base/status_macros.h"

namespace burnish::sensors {

absl::StatusOr<Reading> FileSensor::Read() {
  Reading reading;
  ASSIGN_OR_RETURN(reading.value, read_());
  reading.at = clock_.Monotonic();
  if (info_.quality == Quality::kCounter) {
    ASSIGN_OR_RETURN(reading.value, unwrapped_.Next(reading.value));
  }
  return reading;
}

}  // namespace burnish::sensors
