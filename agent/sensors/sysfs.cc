#include "agent/sensors/sysfs.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/file.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"

namespace burnish::sensors {
namespace {

constexpr size_t kMaxFileBytes = 64 << 10;

}  // namespace

absl::StatusOr<std::string> ReadText(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string content, ReadFile(path, kMaxFileBytes));
  return std::string(absl::StripAsciiWhitespace(content));
}

absl::StatusOr<double> ReadNumber(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadText(path));
  const std::optional<double> number = ParseReal(text);
  if (!number) return absl::DataLossError(absl::StrCat(path, " holds '", text, "', no number"));
  return *number;
}

std::vector<std::string> EntriesOf(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with(prefix)) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace burnish::sensors
