// NVIDIA GPUs: of what the driver offers the best, which is the energy counter, then watts of the
// moment, then watts averaged by the driver over about a second.
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/sensors/nvml_library.h"
#include "agent/sensors/registry.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"

namespace burnish::sensors {
namespace {

using LibraryPtr = std::shared_ptr<const nvml::Library>;

absl::StatusOr<double> ReadJoules(const nvml::Library& library, nvml::Device device) {
  constexpr const char* kCall = "nvmlDeviceGetTotalEnergyConsumption";
  if (library.api().nvmlDeviceGetTotalEnergyConsumption == nullptr) {
    return absl::UnimplementedError(kCall);
  }
  unsigned long long millijoules = 0;
  RETURN_IF_ERROR(library.ToStatus(
      kCall, library.api().nvmlDeviceGetTotalEnergyConsumption(device, &millijoules)));
  return static_cast<double>(millijoules) * 1e-3;
}

absl::StatusOr<double> ReadInstantWatts(const nvml::Library& library, nvml::Device device) {
  constexpr const char* kCall = "nvmlDeviceGetFieldValues";
  if (library.api().nvmlDeviceGetFieldValues == nullptr) return absl::UnimplementedError(kCall);
  nvml::FieldValue value;
  value.field = nvml::kFieldPowerInstant;
  RETURN_IF_ERROR(
      library.ToStatus(kCall, library.api().nvmlDeviceGetFieldValues(device, 1, &value)));
  RETURN_IF_ERROR(library.ToStatus(kCall, value.result));
  return value.value.unsigned_int * 1e-3;
}

absl::StatusOr<double> ReadAveragedWatts(const nvml::Library& library, nvml::Device device) {
  constexpr const char* kCall = "nvmlDeviceGetPowerUsage";
  if (library.api().nvmlDeviceGetPowerUsage == nullptr) return absl::UnimplementedError(kCall);
  unsigned milliwatts = 0;
  RETURN_IF_ERROR(
      library.ToStatus(kCall, library.api().nvmlDeviceGetPowerUsage(device, &milliwatts)));
  return milliwatts * 1e-3;
}

using ReadValue = absl::StatusOr<double> (*)(const nvml::Library&, nvml::Device);
struct Method {
  Quality quality;
  ReadValue read;
  absl::Duration averaging;
};
// The driver updates each of them about every 100 ms. What the instant watts are of is 25 ms of
// those on A100 and H100 (Yang, Adamek and Armour 2024, "Part-time power measurements").
const Method kMethods[] = {
    {Quality::kCounter, ReadJoules, absl::ZeroDuration()},
    {Quality::kInstant, ReadInstantWatts, absl::Milliseconds(25)},
    {Quality::kAveraged, ReadAveragedWatts, absl::Seconds(1)},
};

class NvmlSensor : public Sensor {
 public:
  NvmlSensor(LibraryPtr library, size_t index, const Method& method, const Clock& clock)
      : library_(std::move(library)),
        device_(library_->devices()[index]),
        read_(method.read),
        clock_(clock),
        info_{.name = absl::StrCat("nvml:", index),
              .scope = Scope::kBoard,
              .part = Part::kGpu,
              .quality = method.quality,
              .period = absl::Milliseconds(100),
              .averaging = method.averaging,
              .interval = absl::Milliseconds(20)} {}

  const SensorInfo& info() const override { return info_; }

  absl::StatusOr<Reading> Read() override {
    Reading reading;
    ASSIGN_OR_RETURN(reading.value, read_(*library_, device_));
    reading.at = clock_.Monotonic();
    // A reloaded driver starts anew.
    if (info_.quality == Quality::kCounter) {
      ASSIGN_OR_RETURN(reading.value, unwrapped_.Next(reading.value));
    }
    return reading;
  }

  absl::StatusOr<Condition> ReadCondition() override {
    const nvml::Api& api = library_->api();
    Condition condition;
    unsigned value = 0;
    const auto known = [&](auto call, auto... arguments) {
      return call != nullptr && call(device_, arguments..., &value) == nvml::kSuccess;
    };
    if (known(api.nvmlDeviceGetTemperature, nvml::kTemperatureGpu)) condition.celsius = value;
    if (known(api.nvmlDeviceGetClockInfo, nvml::kClockSm)) condition.clock_hz = value * 1e6;
    if (known(api.nvmlDeviceGetDefaultApplicationsClock, nvml::kClockSm)) {
      condition.default_clock_hz = value * 1e6;
    }
    unsigned long long reasons = 0;
    if (api.nvmlDeviceGetCurrentClocksThrottleReasons != nullptr &&
        api.nvmlDeviceGetCurrentClocksThrottleReasons(device_, &reasons) == nvml::kSuccess &&
        (reasons & nvml::kHeldBack) != 0) {
      condition.throttle = (reasons & nvml::kHeldBackByHeat) != 0 ? "thermal" : "power";
    }
    return condition;
  }

 private:
  const LibraryPtr library_;
  const nvml::Device device_;
  const ReadValue read_;
  const Clock& clock_;
  const SensorInfo info_;
  Unwrapped unwrapped_;
};

}  // namespace

Sensors FindNvml(const Surroundings& surroundings) {
  Sensors sensors;
  const auto library = nvml::Library::Load(surroundings.nvml_library);
  if (absl::IsNotFound(library.status())) return sensors;  // no NVIDIA driver
  if (!library.ok()) {
    Log(LogLevel::kWarning, "sensor_unreadable",
        {{"sensor", "nvml"}, {"reason", std::string(library.status().message())}});
    return sensors;
  }
  for (size_t i = 0; i < (*library)->devices().size(); ++i) {
    for (const Method& method : kMethods) {
      if (!method.read(**library, (*library)->devices()[i]).ok()) continue;
      sensors.push_back(std::make_unique<NvmlSensor>(*library, i, method, surroundings.clock));
      break;
    }
  }
  return sensors;
}

}  // namespace burnish::sensors
