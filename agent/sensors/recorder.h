// Reads a sensor on a thread of its own for as long as it lives, and keeps the readings.
// Thread-safe but for the sensor, which is the recorder's until its end.
#pragma once

#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "agent/sensors/energy.h"
#include "agent/sensors/sensor.h"

namespace burnish::sensors {

class Recorder : public Record {
 public:
  // The sensor has begun, and outlives the recorder.
  explicit Recorder(Sensor& sensor);
  ~Recorder() override;

  absl::StatusOr<std::vector<Reading>> Between(absl::Duration from, absl::Duration to) override;
  // Of the sensor, between two of its reads.
  absl::StatusOr<Condition> ReadCondition();

 private:
  void Work();
  bool stopping() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return stopping_; }

  Sensor& sensor_;
  const absl::Duration interval_;
  absl::Mutex sensor_mutex_;  // one user at a time
  absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  std::vector<Reading> readings_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace burnish::sensors
