#include "common/measured/figures.h"

#include <optional>
#include <span>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace burnish::measured {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

struct Quantity {
  std::string_view name;
  std::optional<double> work::Figures::*figure;
  std::span<const Unit> units;
};

constexpr Unit kEnergy[] = {{"", 1},      {"J", 1},          {"joules", 1}, {"mJ", 1e-3},
                            {"uJ", 1e-6}, {"\u00B5J", 1e-6}, {"kJ", 1e3}};
constexpr Unit kPower[] = {{"", 1}, {"W", 1}, {"watts", 1}, {"mW", 1e-3}, {"kW", 1e3}};
constexpr Unit kMemory[] = {{"", 1},          {"B", 1},        {"bytes", 1}, {"KB", 1e3},
                            {"kB", 1e3},      {"MB", 1e6},     {"GB", 1e9},  {"KiB", 1024},
                            {"MiB", 1 << 20}, {"GiB", 1 << 30}};
constexpr Quantity kQuantities[] = {{"energy", &work::Figures::energy_joules, kEnergy},
                                    {"power", &work::Figures::power_watts, kPower},
                                    {"memory", &work::Figures::memory_bytes, kMemory}};

std::optional<double> InOwnUnit(const Metric& metric, const Quantity& quantity) {
  const std::string name = absl::AsciiStrToLower(metric.name);
  if (name != quantity.name && !name.ends_with(absl::StrCat("_", std::string(quantity.name)))) {
    return std::nullopt;
  }
  for (const Unit& unit : quantity.units) {
    if (unit.name == metric.unit && metric.value >= 0) return metric.value * unit.factor;
  }
  return std::nullopt;
}

}  // namespace

work::Figures FiguresOf(const Record& record) {
  work::Figures figures;
  for (const Metric& metric : record.metrics) {
    for (const Quantity& quantity : kQuantities) {
      std::optional<double>& figure = figures.*quantity.figure;
      if (!figure) figure = InOwnUnit(metric, quantity);
    }
  }
  if (record.latency_seconds > 0) {
    if (figures.energy_joules && !figures.power_watts) {
      figures.power_watts = *figures.energy_joules / record.latency_seconds;
    } else if (figures.power_watts && !figures.energy_joules) {
      figures.energy_joules = *figures.power_watts * record.latency_seconds;
    }
  }
  return figures;
}

}  // namespace burnish::measured
