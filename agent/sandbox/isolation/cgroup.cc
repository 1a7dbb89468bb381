#include "agent/sandbox/isolation/cgroup.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"

namespace burnish::isolation {
namespace {

namespace fs = std::filesystem;

constexpr char kPrefix[] = "burnish-";
constexpr size_t kFileBytes = 1 << 16;
// A group can be removed a moment after its last process was waited for.
constexpr int kRemoveTries = 100;
constexpr absl::Duration kRemovePause = absl::Milliseconds(10);

// (The kernel's own files are there already; the made-up ones of tests are not.)
absl::Status WriteControl(const std::string& path, std::string_view value) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, path);
  return WriteAll(fd.get(), path, value);
}

// "memory" → "/job/7"; "" is version 2.
std::map<std::string, std::string> PathsByController(const std::string& own_groups) {
  std::map<std::string, std::string> paths;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(own_groups, '\n'))) {
    const std::vector<std::string> fields = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3) continue;
    for (const auto& controller : absl::StrSplit(fields[1], ',')) {
      paths[std::string(controller)] = fields[2] == "/" ? "" : fields[2];
    }
  }
  return paths;
}

// In a container the mount may show our own group as its root.
std::string FolderOf(const std::string& root, const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(root + path, ignored) ? root + path : root;
}

bool HasWord(const std::string& path, std::string_view word) {
  const auto text = ReadFile(path, kFileBytes);
  if (!text.ok()) return false;
  for (const auto& one : absl::StrSplit(*text, absl::ByAnyChar(" \n"))) {
    if (std::string_view(one.data(), one.size()) == word) return true;
  }
  return false;
}

// Whether groups below `folder` have the controllers; switches them on if that can be.
absl::Status HandDownControllers(const std::string& folder) {
  const std::string control = folder + "/cgroup.subtree_control";
  for (const char* controller : {"memory", "pids"}) {
    if (!HasWord(folder + "/cgroup.controllers", controller)) {
      return absl::NotFoundError(absl::StrCat(folder, " has no controller ", controller));
    }
    if (HasWord(control, controller)) continue;
    RETURN_IF_ERROR(WriteControl(control, absl::StrCat("+", controller)));
  }
  return absl::OkStatus();
}

absl::Status MakeGroup(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, folder);
}

void RemoveGroup(const std::string& folder) {
  for (int i = 0; i < kRemoveTries; ++i) {
    if (::rmdir(folder.c_str()) == 0 || errno != EBUSY) return;
    SleepThread(kRemovePause);
  }
}

std::string GroupName(int number) { return absl::StrCat("/", kPrefix, ::getpid(), "-", number); }

// Whether a process can make groups there.
absl::Status TryToMakeGroup(const std::string& folder) {
  if (::access((folder + "/cgroup.procs").c_str(), F_OK) != 0) {
    return absl::NotFoundError(absl::StrCat(folder, " is no control group"));
  }
  const std::string trial = folder + GroupName(0);
  RETURN_IF_ERROR(MakeGroup(trial));
  const absl::Status limited = WriteControl(trial + "/pids.max", "1000");
  RemoveGroup(trial);
  return limited;
}

}  // namespace

absl::StatusOr<CgroupParent> CgroupParent::Find(const std::string& mount,
                                                const std::string& own_groups) {
  std::map<std::string, std::string> paths = PathsByController(own_groups);
  CgroupParent parent;
  absl::Status obstacle = absl::NotFoundError(absl::StrCat(mount, " has no memory controller"));
  if (paths.contains("")) {
    const std::string own = FolderOf(mount, paths[""]);
    // A group that holds processes hands nothing down; its parent may, if that was delegated.
    std::vector<std::string> choices = {own};
    if (own != mount) choices.push_back(own.substr(0, own.rfind('/')));
    for (const std::string& folder : choices) {
      absl::Status possible = HandDownControllers(folder);
      if (possible.ok()) possible = TryToMakeGroup(folder);
      if (possible.ok()) {
        parent.version_ = CgroupVersion::kV2;
        parent.memory_ = parent.tasks_ = folder;
        return parent;
      }
      if (!absl::IsNotFound(possible)) obstacle = possible;
    }
  }
  if (paths.contains("memory") && paths.contains("pids")) {
    parent.version_ = CgroupVersion::kV1;
    parent.memory_ = FolderOf(mount + "/memory", paths["memory"]);
    parent.tasks_ = FolderOf(mount + "/pids", paths["pids"]);
    RETURN_IF_ERROR(TryToMakeGroup(parent.tasks_));
    const std::string trial = parent.memory_ + GroupName(0);
    RETURN_IF_ERROR(MakeGroup(trial));
    RemoveGroup(trial);
    return parent;
  }
  return obstacle;
}

absl::StatusOr<CgroupParent> CgroupParent::FindOwn() {
  ASSIGN_OR_RETURN(const std::string own_groups, ReadFile("/proc/self/cgroup", kFileBytes));
  return Find(kCgroupMount, own_groups);
}

void CgroupParent::RemoveStale() const {
  for (const std::string& folder : {memory_, tasks_}) {
    std::error_code ignored;
    std::vector<std::string> stale;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const std::string name = entry.path().filename();
      if (!name.starts_with(kPrefix)) continue;
      const size_t start = sizeof(kPrefix) - 1;
      const auto pid = ParseInteger(name.substr(start, name.find('-', start) - start));
      const bool gone = pid && ::kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH;
      if (gone) stale.push_back(entry.path());
    }
    for (const std::string& group : stale) {
      const auto members = ReadFile(group + "/cgroup.procs", kFileBytes);
      for (const auto& line : absl::StrSplit(members.value_or(""), '\n')) {
        const auto pid = ParseInteger(std::string(line));
        if (pid && *pid > 1) ::kill(static_cast<pid_t>(*pid), SIGKILL);
      }
      RemoveGroup(group);
    }
  }
}

absl::StatusOr<Cgroup> Cgroup::Make(const CgroupParent& parent, int number,
                                    const CgroupLimits& limits) {
  const bool v2 = parent.version() == CgroupVersion::kV2;
  Cgroup group;
  // Noted first, so that what was made is removed after an error.
  group.folders_.push_back(parent.memory() + GroupName(number));
  RETURN_IF_ERROR(MakeGroup(group.folders_.back()));
  RETURN_IF_ERROR(WriteControl(group.folders_[0] + (v2 ? "/memory.max" : "/memory.limit_in_bytes"),
                               absl::StrCat(limits.memory_bytes)));
  // Where there is swap; memory that is not there is no memory.
  WriteControl(group.folders_[0] + (v2 ? "/memory.swap.max" : "/memory.memsw.limit_in_bytes"),
               v2 ? "0" : absl::StrCat(limits.memory_bytes))
      .IgnoreError();
  if (!v2) {
    group.folders_.push_back(parent.tasks() + GroupName(number));
    RETURN_IF_ERROR(MakeGroup(group.folders_.back()));
  }
  RETURN_IF_ERROR(WriteControl(group.folders_.back() + "/pids.max", absl::StrCat(limits.tasks)));
  return group;
}

Cgroup::~Cgroup() {
  for (const std::string& folder : folders_) RemoveGroup(folder);
}

int64_t Cgroup::OomKills() const {
  for (const char* file : {"/memory.events", "/memory.oom_control"}) {
    const auto text = ReadFile(folders_[0] + file, kFileBytes);
    if (!text.ok()) continue;
    for (const std::string& line : std::vector<std::string>(absl::StrSplit(*text, '\n'))) {
      constexpr std::string_view kKey = "oom_kill ";
      if (line.starts_with(kKey)) return ParseInteger(line.substr(kKey.size())).value_or(0);
    }
  }
  return 0;
}

absl::Status JoinCgroup(const std::string& folder) {
  return WriteControl(folder + "/cgroup.procs", absl::StrCat(::getpid()));
}

}  // namespace burnish::isolation
