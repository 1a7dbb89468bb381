// Compiles a C++ kernel with the host's compiler into a shared object that exports
// `burnish_launch(void** arguments)`. Artefacts are kept in the job's artefact folder under the
// SHA-256 of everything they depend on. Thread-safe.
#pragma once

#include "agent/backends/backend.h"

namespace burnish::backends::cpu {

// What artefacts export: arguments[i] points to the buffer, or to the value of the scalar.
inline constexpr char kLaunchSymbol[] = "burnish_launch";
using LaunchFunction = void (*)(void** arguments);
// The same for the kernel's `prepare`, if it has one.
inline constexpr char kPrepareSymbol[] = "burnish_prepare";

// Given before the kernel's own flags.
std::vector<std::string> DefaultFlags();

class CpuCompiler : public Compiler {
 public:
  CompileResult Compile(const CompileJob& job) const override;
  std::optional<Footprint> FootprintOf(const std::string& artefact_path) const override;
};

}  // namespace burnish::backends::cpu
