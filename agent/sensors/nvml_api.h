// The few entry points of NVIDIA's management library that are used, declared by us, so that this
// builds without CUDA; a test compares them with the real header where there is one.
#pragma once

namespace burnish::sensors::nvml {

using Result = int;  // nvmlReturn_t
using Device = struct nvmlDevice_st*;

inline constexpr Result kSuccess = 0;
inline constexpr int kTemperatureGpu = 0;
inline constexpr int kClockSm = 1;
inline constexpr unsigned kFieldPowerInstant = 186;

// Of the throttle reasons those that mean "held back": hardware slowdown, software thermal,
// hardware thermal, hardware power brake. Not the software's power cap: a kernel that runs at the
// limit does so every time.
inline constexpr unsigned long long kHeldBack = 0x8 | 0x20 | 0x40 | 0x80;
inline constexpr unsigned long long kHeldBackByHeat = 0x20 | 0x40;

struct FieldValue {
  unsigned field = 0;
  unsigned scope = 0;
  long long timestamp = 0;
  long long latency_us = 0;
  int value_type = 0;
  Result result = 0;
  union {
    double real;
    unsigned unsigned_int;
    unsigned long long unsigned_long_long;
  } value = {};
};

// Names as in the library.
struct Api {
  Result (*nvmlInit_v2)();
  Result (*nvmlShutdown)();
  const char* (*nvmlErrorString)(Result);
  Result (*nvmlDeviceGetCount_v2)(unsigned*);
  Result (*nvmlDeviceGetHandleByIndex_v2)(unsigned, Device*);
  Result (*nvmlDeviceGetTotalEnergyConsumption)(Device, unsigned long long* millijoules);
  Result (*nvmlDeviceGetFieldValues)(Device, int, FieldValue*);
  Result (*nvmlDeviceGetPowerUsage)(Device, unsigned* milliwatts);
  Result (*nvmlDeviceGetTemperature)(Device, int, unsigned* celsius);
  Result (*nvmlDeviceGetClockInfo)(Device, int, unsigned* megahertz);
  Result (*nvmlDeviceGetDefaultApplicationsClock)(Device, int, unsigned* megahertz);
  Result (*nvmlDeviceGetCurrentClocksThrottleReasons)(Device, unsigned long long*);
  Result (*nvmlDeviceSetGpuLockedClocks)(Device, unsigned min_megahertz, unsigned max_megahertz);
  Result (*nvmlDeviceResetGpuLockedClocks)(Device);
};

}  // namespace burnish::sensors::nvml
