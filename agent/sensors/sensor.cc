#include "agent/sensors/sensor.h"

#include "absl/strings/str_cat.h"
#include "common/base/numbers.h"

namespace burnish::sensors {

const char* QualityName(Quality quality) {
  switch (quality) {
    case Quality::kCounter:
      return "counter";
    case Quality::kInstant:
      return "instant";
    case Quality::kAveraged:
      return "averaged";
  }
  return "";
}

const char* ScopeName(Scope scope) {
  switch (scope) {
    case Scope::kChip:
      return "chip";
    case Scope::kBoard:
      return "board";
    case Scope::kWall:
      return "wall";
  }
  return "";
}

std::string ToText(const SensorInfo& info) {
  std::string text =
      absl::StrCat(info.name, ", ", ScopeName(info.scope), ", ", QualityName(info.quality));
  if (info.period > absl::ZeroDuration()) {
    absl::StrAppend(&text, ", ", absl::FormatDuration(info.period));
  }
  return text;
}

absl::StatusOr<double> Unwrapped::Next(double raw) {
  if (last_) {
    double step = raw - *last_;
    if (step < 0 && range_ <= 0) {
      return absl::DataLossError(
          absl::StrCat("its counter went from ", FormatReal(*last_), " back to ", FormatReal(raw)));
    }
    if (step < 0) step += range_;
    total_ += step;
  }
  last_ = raw;
  return total_;
}

}  // namespace burnish::sensors
