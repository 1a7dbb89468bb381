// The backends this program was built with. A new backend is a folder beside cpu/, a factory
// declared here, and one line in registry.cc. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/backends/backend.h"

namespace burnish::backends {

std::unique_ptr<Backend> MakeCpuBackend();
std::unique_ptr<Backend> MakeNullBackend();

// What the devices of the replay backend answer from.
struct ReplayOptions {
  std::vector<std::string> records;  // files of measurements, one for each device
  bool noise = false;                // answer with single recorded runs instead of their mean
};
std::unique_ptr<Backend> MakeReplayBackend(ReplayOptions options);
// Before anything else of the registry is used; until then there are no files.
void SetReplayOptions(ReplayOptions options);

// Nothing if there is no such backend.
const Backend* FindBackend(std::string_view name);
std::vector<std::string> BackendNames();

}  // namespace burnish::backends
