// Compiles a pair's candidate as an agent does, and checks it in a child process, so that whatever
// it does to its process is one answer. Answers are empty if all is right, else say what is not.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "tests/conformance/templates/pair.h"

namespace burnish::templates {

// With candidates compiled for it too, so that the address sanitizer sees their accesses.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// The artefact's path. Thread-safe.
absl::StatusOr<std::string> Compile(const Pair& pair, const std::string& folder);

// Right: everywhere written, as the operator says at sampled elements, within the agent's
// tolerances; the same bits in every execution, on fresh poison or not; inputs and all that lies
// around the buffers intact; `prepare` gets along with what it may read. Forks: no other thread
// may run.
std::string CheckInChild(const Pair& pair, const std::string& artefact_path);

}  // namespace burnish::templates
