#include "agent/backends/cpu/toolchain.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/backends/cpu/device.h"
#include "common/base/clock.h"
#include "common/base/environment.h"
#include "common/base/poll.h"
#include "common/base/status_macros.h"

namespace burnish::backends::cpu {
namespace {

constexpr size_t kOutputBytes = 256 << 10;
constexpr absl::Duration kVersionTimeout = absl::Seconds(10);

bool WantsCompileCache() { return EnvironmentVariable("BURNISH_COMPILE_CACHE") == "1"; }

absl::StatusOr<std::string> FindCompiler() {
  if (const auto chosen = EnvironmentVariable("BURNISH_CXX"); chosen && !chosen->empty()) {
    if (chosen->find('/') == std::string::npos) {
      if (const auto found = FindProgram(*chosen)) return *found;
    } else if (::access(chosen->c_str(), X_OK) == 0) {
      return *chosen;
    }
    return absl::NotFoundError(absl::StrCat("BURNISH_CXX: '", *chosen, "' is not a program"));
  }
  for (const char* name : {"g++", "clang++", "c++"}) {
    if (const auto found = FindProgram(name)) return *found;
  }
  return absl::NotFoundError("no C++ compiler on the PATH (looked for g++, clang++, c++)");
}

absl::StatusOr<Toolchain> FindToolchain() {
  Toolchain toolchain;
  ASSIGN_OR_RETURN(toolchain.program, FindCompiler());
  SpawnOptions options;
  options.arguments = {toolchain.program, "--version"};
  options.environment = {"LC_ALL=C"};
  const auto run = RunCaptured(options, kVersionTimeout, kOutputBytes);
  RETURN_IF_ERROR(run.status());
  if (!run->status.ok()) {
    return absl::NotFoundError(
        absl::StrCat("'", toolchain.program, " --version' fails: ", ToText(run->status)));
  }
  const std::vector<std::string> lines = absl::StrSplit(run->output, '\n');
  toolchain.version = lines[0];
  toolchain.is_clang = absl::StrContains(toolchain.version, "clang");
  if (WantsCompileCache()) {
    toolchain.launcher = FindProgram("ccache").value_or("");
  }
  return toolchain;
}

// Nothing of the worker's own environment but what a compiler, or ccache, needs.
std::vector<std::string> ToolEnvironment(const std::string& folder) {
  std::vector<std::string> environment = {absl::StrCat("TMPDIR=", folder), "LC_ALL=C"};
  std::vector<std::string> passed = {"PATH"};
  if (WantsCompileCache()) {
    passed.insert(passed.end(), {"CCACHE_DIR", "CCACHE_CONFIGPATH", "XDG_CACHE_HOME", "HOME"});
  }
  for (const std::string& name : passed) {
    if (const auto value = EnvironmentVariable(name)) {
      environment.push_back(absl::StrCat(name, "=", *value));
    }
  }
  return environment;
}

std::string ContentOf(int fd) {
  std::string content(kOutputBytes, '\0');
  const ssize_t bytes = ::pread(fd, content.data(), content.size(), 0);
  content.resize(bytes > 0 ? bytes : 0);
  return content;
}

}  // namespace

const absl::StatusOr<Toolchain>& HostToolchain() {
  static const auto* const toolchain = new absl::StatusOr<Toolchain>(FindToolchain());
  return *toolchain;
}

absl::StatusOr<ToolRun> RunTool(const std::vector<std::string>& arguments,
                                const std::string& folder, absl::Duration deadline, int cancel_fd) {
  // Memory instead of a pipe: nobody has to read while the tool runs.
  const UniqueFd output(::memfd_create("tool-output", MFD_CLOEXEC));
  if (!output.valid()) return absl::ErrnoToStatus(errno, "memfd_create");
  SpawnOptions options;
  options.arguments = arguments;
  options.environment = ToolEnvironment(folder);
  options.working_folder = folder;
  options.descriptors = {{STDOUT_FILENO, output.get()}, {STDERR_FILENO, output.get()}};
  ASSIGN_OR_RETURN(ChildProcess child, ChildProcess::Spawn(options));
  // Should this process be killed meanwhile, the compiler still ends some day.
  const auto cpu_seconds =
      static_cast<rlim_t>(absl::ToInt64Seconds(deadline - SystemClock().Monotonic()) + 2);
  const rlimit limit = {.rlim_cur = cpu_seconds, .rlim_max = cpu_seconds};
  ::prlimit(child.pid(), RLIMIT_CPU, &limit, nullptr);
  // A template that instantiates itself without end must not take the machine along.
  const rlim_t half = static_cast<rlim_t>(HostMemoryBytes() / 2);
  const rlimit memory = {.rlim_cur = half, .rlim_max = half};
  ::prlimit(child.pid(), RLIMIT_AS, &memory, nullptr);
  pollfd polls[] = {{.fd = child.exit_fd(), .events = POLLIN, .revents = 0},
                    {.fd = cancel_fd, .events = POLLIN, .revents = 0}};
  if (!PollUntil(polls, deadline)) return absl::DeadlineExceededError("the compiler took too long");
  if (polls[0].revents == 0) return absl::CancelledError("cancelled");
  const auto status = child.Wait(absl::InfiniteDuration());
  return ToolRun{.status = *status, .output = ContentOf(output.get())};
}

}  // namespace burnish::backends::cpu
