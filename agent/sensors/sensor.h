// A source of power or energy readings: what it covers, how it reads, and one reading at a time.
// A sensor that fails is an error, never a reading of zero. A Sensor is used by one thread at a
// time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/clock.h"

namespace burnish::sensors {

// Best first.
enum class Quality {
  kCounter,   // joules, accumulated by the hardware: nothing is missed
  kInstant,   // watts at one moment
  kAveraged,  // watts over a while that has passed
};
const char* QualityName(Quality quality);  // "counter"

enum class Scope { kChip, kBoard, kWall };
const char* ScopeName(Scope scope);  // "chip"

// Of what the power is.
enum class Part {
  kCpu,
  kGpu,
  kMachine,  // of everything, whichever device works
  kOther,    // a rail among others: used only where it is named
};

struct SensorInfo {
  std::string name;  // "rapl:package-0"
  Scope scope = Scope::kChip;
  Part part = Part::kOther;
  Quality quality = Quality::kInstant;
  absl::Duration period;     // between two updates; zero: not known
  absl::Duration averaging;  // what one reading of watts is the mean of
  absl::Duration interval;   // between two reads; zero: Read() waits for the next one itself
};

// "rapl:package-0, chip, counter, 1ms", for people and the environment of records.
std::string ToText(const SensorInfo& info);

struct Reading {
  absl::Duration at;  // monotonic
  double value = 0;   // of a counter joules, from any origin, never less than before; else watts
};

// Of the part that the sensor covers, as far as it can be told.
struct Condition {
  std::optional<double> celsius;
  std::optional<double> clock_hz;
  std::optional<double> default_clock_hz;  // that it is made to hold
  std::string throttle;  // why the hardware holds it back now; empty: nothing known
};

class Sensor {
 public:
  virtual ~Sensor() = default;
  virtual const SensorInfo& info() const = 0;
  // Around a stretch of reads.
  virtual absl::Status Begin() { return absl::OkStatus(); }
  virtual void End() {}
  virtual absl::StatusOr<Reading> Read() = 0;
  virtual absl::StatusOr<Condition> ReadCondition() { return Condition{}; }
};

using Sensors = std::vector<std::unique_ptr<Sensor>>;

// Makes an ever-growing counter of one that starts again at 0 behind `range` (0: it never does).
// Reads have to come often enough that it cannot pass the whole range in between.
class Unwrapped {
 public:
  explicit Unwrapped(double range = 0) : range_(range) {}
  // DataLoss if it went backwards and has no range.
  absl::StatusOr<double> Next(double raw);

 private:
  double range_;
  std::optional<double> last_;
  double total_ = 0;
};

}  // namespace burnish::sensors
