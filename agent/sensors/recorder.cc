#include "agent/sensors/recorder.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace burnish::sensors {

Recorder::Recorder(Sensor& sensor) : sensor_(sensor), interval_(sensor.info().interval) {
  thread_ = std::thread([this] { Work(); });
}

Recorder::~Recorder() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  thread_.join();
}

absl::StatusOr<std::vector<Reading>> Recorder::Between(absl::Duration from, absl::Duration to) {
  absl::MutexLock lock(&mutex_);
  if (!status_.ok()) return status_;
  std::vector<Reading> readings;
  for (const Reading& reading : readings_) {
    if (reading.at >= from && reading.at <= to) readings.push_back(reading);
  }
  return readings;
}

absl::StatusOr<Condition> Recorder::ReadCondition() {
  absl::MutexLock lock(&sensor_mutex_);
  return sensor_.ReadCondition();
}

void Recorder::Work() {
  while (true) {
    absl::StatusOr<Reading> reading;
    {
      absl::MutexLock lock(&sensor_mutex_);
      reading = sensor_.Read();
    }
    absl::MutexLock lock(&mutex_);
    if (!reading.ok()) {
      status_ = absl::UnavailableError(absl::StrCat("the sensor ", sensor_.info().name,
                                                    " is lost: ", reading.status().message()));
      return;
    }
    readings_.push_back(*reading);
    if (mutex_.AwaitWithTimeout(absl::Condition(this, &Recorder::stopping), interval_)) return;
  }
}

}  // namespace burnish::sensors
