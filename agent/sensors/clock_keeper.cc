#include "agent/sensors/clock_keeper.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/sensors/nvml_library.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/numbers.h"
#include "common/base/poll.h"
#include "common/base/status_macros.h"

namespace burnish::sensors {
namespace {

// Loading the driver may take seconds on a machine of many GPUs.
constexpr absl::Duration kDriverTime = absl::Seconds(30);
constexpr char kLocked = 'L';

// Every GPU, even if one fails; the note goes once all are restored.
absl::Status Restore(const nvml::Library& library, const std::string& note) {
  constexpr const char* kCall = "nvmlDeviceResetGpuLockedClocks";
  if (library.api().nvmlDeviceResetGpuLockedClocks == nullptr) {
    return absl::UnimplementedError(kCall);
  }
  absl::Status status;
  for (nvml::Device device : library.devices()) {
    status.Update(library.ToStatus(kCall, library.api().nvmlDeviceResetGpuLockedClocks(device)));
  }
  if (status.ok() && ::unlink(note.c_str()) != 0) return absl::ErrnoToStatus(errno, note);
  return status;
}

absl::Status Lock(const nvml::Library& library, unsigned megahertz, const std::string& note) {
  constexpr const char* kCall = "nvmlDeviceSetGpuLockedClocks";
  if (library.api().nvmlDeviceSetGpuLockedClocks == nullptr ||
      library.api().nvmlDeviceResetGpuLockedClocks == nullptr) {
    return absl::UnimplementedError(absl::StrCat("this driver lacks ", kCall));
  }
  RETURN_IF_ERROR(WriteFileAtomically(note, absl::StrCat(megahertz, " MHz\n"), /*durable=*/true));
  for (nvml::Device device : library.devices()) {
    RETURN_IF_ERROR(library.ToStatus(
        kCall, library.api().nvmlDeviceSetGpuLockedClocks(device, megahertz, megahertz)));
  }
  return absl::OkStatus();
}

void WaitForEndOfInput() {
  char ignored;
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, &ignored, 1);
    if (count == 0 || (count < 0 && errno != EINTR)) return;
  }
}

void LogError(const absl::Status& status) {
  if (status.ok()) return;
  Log(LogLevel::kError, "clocks", {{"reason", std::string(status.message())}});
}

}  // namespace

int KeepClocks(const std::vector<std::string>& arguments) {
  const std::optional<int64_t> megahertz =
      arguments.size() == 3 ? ParseInteger(arguments[0]) : std::nullopt;
  if (!megahertz) return 2;
  // Who ends the agent may signal its whole group; the keeper ends behind it.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_IGN);
  const std::string& note = arguments[1];
  const auto library = nvml::Library::Load(arguments[2]);
  if (!library.ok()) {
    LogError(library.status());
    return 1;
  }
  const absl::Status locked = Lock(**library, static_cast<unsigned>(*megahertz), note);
  LogError(locked);
  if (locked.ok()) {
    if (::write(STDOUT_FILENO, &kLocked, 1) == 1) WaitForEndOfInput();
  }
  const absl::Status restored = Restore(**library, note);
  LogError(restored);
  return locked.ok() && restored.ok() ? 0 : 1;
}

absl::Status RestoreLeftClocks(const std::string& note, const std::string& nvml_library) {
  if (::access(note.c_str(), F_OK) != 0) return absl::OkStatus();
  const auto library = nvml::Library::Load(nvml_library);
  const absl::Status status = library.ok() ? Restore(**library, note) : library.status();
  if (status.ok()) {
    Log(LogLevel::kWarning, "clocks_restored", {{"note", note}});
    return status;
  }
  return absl::Status(status.code(),
                      absl::StrCat("the clocks that an earlier agent locked cannot be restored "
                                   "(nvidia-smi -rgc does; then remove ",
                                   note, "): ", status.message()));
}

absl::StatusOr<std::unique_ptr<ClockLock>> ClockLock::Start(int megahertz, const std::string& note,
                                                            const std::string& nvml_library) {
  int down[2];
  int up[2];
  if (::pipe2(down, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  const UniqueFd theirs_in(down[0]);
  UniqueFd to_keeper(down[1]);
  if (::pipe2(up, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  const UniqueFd from_keeper(up[0]);
  UniqueFd theirs_out(up[1]);
  SpawnOptions options;
  options.arguments = {"/proc/self/exe", kClockKeeper, absl::StrCat(megahertz), note, nvml_library};
  options.descriptors = {{STDIN_FILENO, theirs_in.get()},
                         {STDOUT_FILENO, theirs_out.get()},
                         {STDERR_FILENO, STDERR_FILENO}};
  options.new_session = true;
  ASSIGN_OR_RETURN(ChildProcess keeper, ChildProcess::Spawn(options));
  theirs_out.Reset();
  pollfd answer{.fd = from_keeper.get(), .events = POLLIN};
  char locked = 0;
  if (!PollUntil({&answer, 1}, DeadlineAfter(kDriverTime)) ||
      ::read(from_keeper.get(), &locked, 1) != 1 || locked != kLocked) {
    // It restores and ends by itself.
    to_keeper.Reset();
    keeper.Wait(kDriverTime);
    return absl::FailedPreconditionError(
        "--lock-clocks: the clocks cannot be locked; the log says why");
  }
  Log(LogLevel::kInfo, "clocks_locked", {{"megahertz", absl::StrCat(megahertz)}});
  return std::unique_ptr<ClockLock>(
      new ClockLock(std::move(keeper), std::move(to_keeper), note, nvml_library));
}

ClockLock::~ClockLock() {
  to_keeper_.Reset();
  if (!keeper_.Wait(kDriverTime)) Log(LogLevel::kError, "clocks", {{"reason", "still locked"}});
  // Of a keeper that was killed.
  LogError(RestoreLeftClocks(note_, nvml_library_));
}

}  // namespace burnish::sensors
