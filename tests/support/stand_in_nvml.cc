// A stand-in for NVIDIA's management library, for tests on machines without a GPU: two devices that
// are no hardware. What it answers is made up; the calls that lock clocks are written, a line each,
// to the file that the environment variable STAND_IN_NVML_LOG names. STAND_IN_NVML_LACKS may hold
// `energy` and `instant`, which are not supported then.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kSuccess = 0;
constexpr int kNotSupported = 3;

bool Lacks(const char* what) {
  const char* const lacking = std::getenv("STAND_IN_NVML_LACKS");
  return lacking != nullptr && std::strstr(lacking, what) != nullptr;
}

void Note(const char* text, int device, unsigned megahertz) {
  const char* const path = std::getenv("STAND_IN_NVML_LOG");
  if (path == nullptr) return;
  if (std::FILE* const file = std::fopen(path, "a")) {
    std::fprintf(file, "%s %d %u\n", text, device, megahertz);
    std::fclose(file);
  }
}

// Handles are numbers from 1.
int IndexOf(void* device) { return static_cast<int>(reinterpret_cast<long>(device)) - 1; }

// As the library declares it.
struct FieldValue {
  unsigned fieldId, scopeId;
  long long timestamp, latencyUsec;
  int valueType, nvmlReturn;
  unsigned long long value;
};

}  // namespace

extern "C" {

int nvmlInit_v2() { return kSuccess; }
int nvmlShutdown() { return kSuccess; }
const char* nvmlErrorString(int) { return "Not Supported"; }
int nvmlDeviceGetCount_v2(unsigned* count) { return *count = 2, kSuccess; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = reinterpret_cast<void*>(static_cast<long>(index) + 1);
  return kSuccess;
}
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  static unsigned long long used = 5'000'000;
  if (Lacks("energy")) return kNotSupported;
  *millijoules = used += 1500;
  return kSuccess;
}
int nvmlDeviceGetFieldValues(void*, int count, FieldValue* values) {
  for (int i = 0; i < count; ++i) {
    values[i].nvmlReturn = values[i].fieldId == 186 && !Lacks("instant") ? kSuccess : kNotSupported;
    values[i].value = 71000;
  }
  return kSuccess;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) { return *milliwatts = 70500, kSuccess; }
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) { return *celsius = 41, kSuccess; }
int nvmlDeviceGetClockInfo(void*, int, unsigned* megahertz) { return *megahertz = 1410, kSuccess; }
int nvmlDeviceGetDefaultApplicationsClock(void*, int, unsigned* megahertz) {
  return *megahertz = 1980, kSuccess;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
  *reasons = IndexOf(device) == 0 ? 0x1 : 0x4 | 0x40;  // idle; power cap and hot
  return kSuccess;
}
int nvmlDeviceSetGpuLockedClocks(void* device, unsigned min, unsigned max) {
  Note("lock", IndexOf(device), max);
  return kSuccess;
}
int nvmlDeviceResetGpuLockedClocks(void* device) {
  Note("reset", IndexOf(device), 0);
  return kSuccess;
}

}  // extern "C"
