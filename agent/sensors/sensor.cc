#include "agent/sensors/sensor.h"

#include <utility>

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
  const double last = std::exchange(last_, raw).value_or(raw);
  if (raw < last && range_ <= 0) {
    return absl::DataLossError(
        absl::StrCat("its counter went from ", FormatReal(last), " back to ", FormatReal(raw)));
  }
  total_ += raw < last ? raw - last + range_ : raw - last;
  return total_;
}

}  // namespace burnish::sensors
