// Runs a compiled C++ kernel in this process. Only ever used in a runner child: the kernel may do
// whatever it likes to its process.
#pragma once

#include "agent/backends/backend.h"

namespace burnish::backends::cpu {

class CpuLoader : public Loader {
 public:
  // FailedPrecondition, with the dynamic linker's words, if the artefact cannot be loaded.
  absl::StatusOr<std::unique_ptr<LoadedKernel>> Load(const LoadJob& job) const override;
};

}  // namespace burnish::backends::cpu
