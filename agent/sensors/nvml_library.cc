#include "agent/sensors/nvml_library.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace burnish::sensors::nvml {

absl::StatusOr<std::shared_ptr<const Library>> Library::Load(const std::string& path) {
  const std::shared_ptr<Library> library(new Library);
  RETURN_IF_ERROR(library->Open(path));
  return library;
}

absl::Status Library::Open(const std::string& path) {
  handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) return absl::NotFoundError(::dlerror());
  const auto find = [&](auto& entry, const char* name) {
    entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(::dlsym(handle_, name));
  };
#define BURNISH_FIND(name) find(api_.name, #name)
  BURNISH_FIND(nvmlInit_v2);
  BURNISH_FIND(nvmlShutdown);
  BURNISH_FIND(nvmlErrorString);
  BURNISH_FIND(nvmlDeviceGetCount_v2);
  BURNISH_FIND(nvmlDeviceGetHandleByIndex_v2);
  BURNISH_FIND(nvmlDeviceGetTotalEnergyConsumption);
  BURNISH_FIND(nvmlDeviceGetFieldValues);
  BURNISH_FIND(nvmlDeviceGetPowerUsage);
  BURNISH_FIND(nvmlDeviceGetTemperature);
  BURNISH_FIND(nvmlDeviceGetClockInfo);
  BURNISH_FIND(nvmlDeviceGetDefaultApplicationsClock);
  BURNISH_FIND(nvmlDeviceGetCurrentClocksThrottleReasons);
  BURNISH_FIND(nvmlDeviceSetGpuLockedClocks);
  BURNISH_FIND(nvmlDeviceResetGpuLockedClocks);
#undef BURNISH_FIND
  if (api_.nvmlInit_v2 == nullptr || api_.nvmlShutdown == nullptr ||
      api_.nvmlDeviceGetCount_v2 == nullptr || api_.nvmlDeviceGetHandleByIndex_v2 == nullptr) {
    return absl::NotFoundError(absl::StrCat(path, " lacks the entry points of NVML"));
  }
  RETURN_IF_ERROR(ToStatus("nvmlInit_v2", api_.nvmlInit_v2()));
  started_ = true;
  unsigned count = 0;
  RETURN_IF_ERROR(ToStatus("nvmlDeviceGetCount_v2", api_.nvmlDeviceGetCount_v2(&count)));
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    RETURN_IF_ERROR(
        ToStatus("nvmlDeviceGetHandleByIndex_v2", api_.nvmlDeviceGetHandleByIndex_v2(i, &device)));
    devices_.push_back(device);
  }
  return absl::OkStatus();
}

Library::~Library() {
  if (started_) api_.nvmlShutdown();
  if (handle_ != nullptr) ::dlclose(handle_);
}

absl::Status Library::ToStatus(const char* call, Result result) const {
  if (result == kSuccess) return absl::OkStatus();
  const char* const text = api_.nvmlErrorString == nullptr ? nullptr : api_.nvmlErrorString(result);
  return absl::UnavailableError(
      absl::StrCat(call, ": error ", result, text == nullptr ? "" : ", ", text ? text : ""));
}

}  // namespace burnish::sensors::nvml
