#include "agent/backends/registry.h"

#include <utility>

namespace burnish::backends {
namespace {

ReplayOptions& Replay() {
  static auto* const options = new ReplayOptions;
  return *options;
}

const std::vector<std::unique_ptr<Backend>>& AllBackends() {
  static const auto* const backends = [] {
    auto* all = new std::vector<std::unique_ptr<Backend>>;
    all->push_back(MakeCpuBackend());
    all->push_back(MakeNullBackend());
    all->push_back(MakeReplayBackend(Replay()));
    return all;
  }();
  return *backends;
}

}  // namespace

void SetReplayOptions(ReplayOptions options) { Replay() = std::move(options); }

const Backend* FindBackend(std::string_view name) {
  for (const auto& backend : AllBackends()) {
    if (backend->name() == name) return backend.get();
  }
  return nullptr;
}

std::vector<std::string> BackendNames() {
  std::vector<std::string> names;
  for (const auto& backend : AllBackends()) names.push_back(backend->name());
  return names;
}

}  // namespace burnish::backends
