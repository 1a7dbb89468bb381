#include "common/base/environment.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "common/base/check.h"

namespace burnish {
namespace {

bool IsExecutableFile(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<std::string> EnvironmentVariable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

std::optional<std::string> FindProgram(const std::string& name) {
  const std::string path = EnvironmentVariable("PATH").value_or("");
  const std::vector<std::string> folders = absl::StrSplit(path, ':');
  for (const std::string& folder : folders) {
    // Relative entries would make the answer depend on the working folder.
    if (!folder.starts_with('/')) continue;
    const std::string program = folder + "/" + name;
    if (IsExecutableFile(program)) return program;
  }
  return std::nullopt;
}

std::string ExecutableFolder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  CHECK(!error) << "/proc/self/exe: " << error.message();
  return program.parent_path().string();
}

}  // namespace burnish
