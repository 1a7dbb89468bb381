// How far a device's agent keeps candidates apart from everything else: levels that a job may
// demand. SECURITY.md says what each is made of; each holds what the ones before it do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace burnish::spec {

enum class IsolationLevel { kNone, kProcess, kNamespace, kFull };

const char* IsolationLevelName(IsolationLevel level);  // "full"
std::optional<IsolationLevel> ParseIsolationLevel(std::string_view name);
// From the weakest, up to `strongest`.
std::vector<std::string> IsolationLevelNames(IsolationLevel strongest = IsolationLevel::kFull);

// The level that an agent's description starts with: "full: user pid ... namespaces, seccomp". None
// where there is no description.
IsolationLevel IsolationLevelOf(std::string_view description);

}  // namespace burnish::spec
