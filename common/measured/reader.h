// Reads the files of other tuners: T4, Kernel Tuner's cache, KTT's results, CLBlast's tuner output.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/measured/measured_space.h"

namespace burnish::measured {

// Tells the formats apart by their content. `name` becomes the name of the space, without endings.
// InvalidArgument Diagnostics with `name` as their file, the place and what would be right; what
// other programs are known to deviate in is read, and noted in `warnings`.
absl::StatusOr<MeasuredSpace> Read(std::string_view name, std::string_view text);

// The content of a file, unpacked if it is gzip (by its content, whatever its name). NotFound,
// PermissionDenied; InvalidArgument if it is cut or larger than limits::kMeasuredFileBytes when
// unpacked.
absl::StatusOr<std::string> ReadFileText(const std::string& path);

// Both: errors name the file.
absl::StatusOr<MeasuredSpace> ReadFile(const std::string& path);

}  // namespace burnish::measured
