#include "tests/bench/matmul/process.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"
#include "common/base/subprocess.h"

namespace burnish::bench {
namespace {

bool SteersLibraries(std::string_view variable) {
  constexpr std::string_view kPrefixes[] = {"OPENBLAS_", "GOTO_", "OMP_",  "GOMP_",
                                            "KMP_",      "MKL_",  "DNNL_", "ONEDNN_"};
  return std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return variable.starts_with(prefix); });
}

std::vector<std::string> CleanEnvironment(int threads) {
  std::vector<std::string> variables;
  for (char** one = environ; *one != nullptr; ++one) {
    if (!SteersLibraries(*one)) variables.push_back(*one);
  }
  variables.push_back(absl::StrCat("OPENBLAS_NUM_THREADS=", threads));
  variables.push_back(absl::StrCat("OMP_NUM_THREADS=", threads));
  variables.push_back("OMP_WAIT_POLICY=active");
  // Every pool waits actively for some tenths of a millisecond, as the templates' own does: longer
  // than a gap within a sample, and so short that it does not disturb who comes next.
  variables.push_back("GOMP_SPINCOUNT=20000");
  variables.push_back("OPENBLAS_THREAD_TIMEOUT=20");  // 2^20 cycles
  return variables;
}

std::vector<int> AllowedCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(0, sizeof(set), &set);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

// Thread 0: the calling one.
absl::Status PinTo(const std::vector<int>& cores, pid_t thread = 0) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  if (::sched_setaffinity(thread, sizeof(set), &set) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "sched_setaffinity");
}

}  // namespace

int CountCores() { return static_cast<int>(AllowedCores().size()); }

absl::StatusOr<int> RunPinned(std::vector<std::string> arguments, int threads) {
  const std::vector<int> cores = AllowedCores();
  if (static_cast<int>(cores.size()) < threads) {
    return absl::FailedPreconditionError(absl::StrCat("this machine has not ", threads, " cores"));
  }
  std::error_code error;
  arguments.insert(arguments.begin(), std::filesystem::read_symlink("/proc/self/exe", error));
  // Inherited by the child, before any library starts its threads there.
  RETURN_IF_ERROR(PinTo({cores.end() - threads, cores.end()}));
  absl::StatusOr<ChildProcess> child =
      ChildProcess::Spawn({.arguments = arguments,
                           .environment = CleanEnvironment(threads),
                           .descriptors = {{1, 1}, {2, 2}},
                           .new_group = false});
  RETURN_IF_ERROR(PinTo(cores));
  RETURN_IF_ERROR(child.status());
  const std::optional<ExitStatus> status = child->Wait(absl::InfiniteDuration());
  if (status->signal != 0) return absl::InternalError(ToText(*status));
  return status->code;
}

void KeepThreadsApart() {
  static const std::vector<int>& cores = *new std::vector<int>(AllowedCores());
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const std::optional<int64_t> thread = ParseInteger(entry.path().filename().string());
    if (!thread.has_value()) continue;
    const bool first = *thread == ::getpid();
    // A thread that has just ended needs no place.
    PinTo({first ? cores.back() : cores.front()}, static_cast<pid_t>(*thread)).IgnoreError();
  }
}

void UseAllCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int core = 0; core < CPU_SETSIZE; ++core) CPU_SET(core, &set);
  ::sched_setaffinity(0, sizeof(set), &set);
}

}  // namespace burnish::bench
