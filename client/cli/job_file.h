// A job file and the sources it names, from this machine's disk. Sources must lie in the job
// file's folder (links resolved); for standard input, `-`, that is the current folder.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "common/spec/job_reader.h"

namespace burnish::cli {

enum class LoadSources { kYes, kNo };

// Diagnostics for a file that is not there, a folder, too large, and for sources missing or
// outside. The text is not checked further.
absl::StatusOr<spec::JobText> LoadJobFile(const std::string& path, LoadSources sources);

}  // namespace burnish::cli
