// NVIDIA's management library, loaded at run time. Thread-safe, as the library is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/sensors/nvml_api.h"

namespace burnish::sensors::nvml {

class Library {
 public:
  // NotFound if there is none; entry points that an old one lacks are null, but for those that
  // find devices.
  static absl::StatusOr<std::shared_ptr<const Library>> Load(const std::string& path);
  ~Library();
  Library(const Library&) = delete;

  const Api& api() const { return api_; }
  const std::vector<Device>& devices() const { return devices_; }
  // What a call gave back, as a status that names it.
  absl::Status ToStatus(const char* call, Result result) const;

 private:
  Library() = default;
  absl::Status Open(const std::string& path);

  void* handle_ = nullptr;
  bool started_ = false;
  Api api_ = {};
  std::vector<Device> devices_;
};

}  // namespace burnish::sensors::nvml
