// The text of a first job file for a kernel, with comments that say what to look at. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "client/cli/kernel_scan.h"

namespace burnish::cli {

// `file` is the source's name as the job file gives it. InvalidArgument for a kernel without a
// buffer: nothing could be checked.
absl::StatusOr<std::string> JobTemplate(const ScannedKernel& kernel, const std::string& language,
                                        const std::string& file);

}  // namespace burnish::cli
