#include "agent/worker/build_sandbox.h"

#include <pwd.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "absl/strings/str_cat.h"
#include "agent/sandbox/isolation/candidate_limits.h"
#include "agent/sandbox/isolation/namespaces.h"
#include "agent/sandbox/isolation/syscall_filter.h"
#include "common/base/environment.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"

namespace burnish::worker {
namespace {

namespace fs = std::filesystem;

// Of compilers that are told to keep their temporary files elsewhere.
constexpr int64_t kScratchBytes = int64_t{1} << 30;

// Where ccache keeps what it has, as its own rules go.
std::optional<std::string> CompileCache() {
  if (EnvironmentVariable("BURNISH_COMPILE_CACHE") != "1") return std::nullopt;
  if (const auto folder = EnvironmentVariable("CCACHE_DIR")) return folder;
  if (const auto cache = EnvironmentVariable("XDG_CACHE_HOME")) return *cache + "/ccache";
  std::optional<std::string> home = EnvironmentVariable("HOME");
  if (const passwd* const user = home ? nullptr : ::getpwuid(::getuid())) home = user->pw_dir;
  if (!home) return std::nullopt;
  std::error_code ignored;
  const bool old = fs::is_directory(*home + "/.ccache", ignored);
  return *home + (old ? "/.ccache" : "/.cache/ccache");
}

// Compilers outside the system's folders come with what lies beside their own.
void AddToolchain(const std::string& program, std::vector<std::string>& readable) {
  const auto path = program.find('/') == std::string::npos ? FindProgram(program)
                                                           : std::optional<std::string>(program);
  if (!path) return;
  std::error_code ignored;
  for (const fs::path& place : {fs::path(*path), fs::canonical(*path, ignored)}) {
    const fs::path prefix = place.parent_path().parent_path();
    if (prefix.has_relative_path()) readable.push_back(prefix);
  }
}

}  // namespace

absl::Status EnterBuildSandbox(const isolation::Isolation& isolation,
                               std::vector<std::string> writable,
                               std::vector<std::string> readable) {
  if (isolation.namespaces) {
    for (const std::string& folder : writable) RETURN_IF_ERROR(MakeFolders(folder));
    if (auto cache = CompileCache()) {
      // Where it cannot be, ccache will say so better than we could.
      if (MakeFolders(*cache).ok()) writable.push_back(*std::move(cache));
      if (const auto file = EnvironmentVariable("CCACHE_CONFIGPATH")) readable.push_back(*file);
    }
    AddToolchain(EnvironmentVariable("BURNISH_CXX").value_or("g++"), readable);
    RETURN_IF_ERROR(isolation::EnterNamespaces({.readable = std::move(readable),
                                                .writable = std::move(writable),
                                                .scratch_bytes = kScratchBytes},
                                               isolation::User::kSame));
  }
  if (isolation.limits) RETURN_IF_ERROR(isolation::DropPrivileges());
  if (!isolation.seccomp) return absl::OkStatus();
  return isolation::FilterSyscalls(isolation::Profile::kBuild);
}

}  // namespace burnish::worker
