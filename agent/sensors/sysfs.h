// Small files of sysfs, below whatever root. Errors name the path.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace burnish::sensors {

// Without white space around it.
absl::StatusOr<std::string> ReadText(const std::string& path);
// DataLoss if it holds no number.
absl::StatusOr<double> ReadNumber(const std::string& path);
// Full paths, sorted, of what lies in the folder under a name that starts so; none if it is absent.
std::vector<std::string> EntriesOf(const std::string& folder, const std::string& prefix);

}  // namespace burnish::sensors
