#include "tests/hostile/leftovers.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "tests/e2e/harness.h"

namespace burnish::hostile {
namespace {

namespace fs = std::filesystem;

int Lines(const std::string& path) {
  std::ifstream file(path);
  int lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  return lines;
}

// Below a folder whose name starts like that.
int Named(const std::string& folder, const std::string& start) {
  int found = 0;
  std::error_code ignored;
  constexpr auto kOptions = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(folder, kOptions, ignored), end;
       !ignored && entry != end; entry.increment(ignored)) {
    if (entry->path().filename().string().starts_with(start)) ++found;
    if (entry.depth() >= 3) entry.disable_recursion_pending();
  }
  return found;
}

}  // namespace

int OpenDescriptors(pid_t process) {
  std::error_code ignored;
  int count = 0;
  for (const auto& entry :
       fs::directory_iterator(absl::StrCat("/proc/", process, "/fd"), ignored)) {
    count += entry.path().empty() ? 0 : 1;
  }
  return count;
}

int64_t ResidentBytes(pid_t process) {
  std::ifstream statm(absl::StrCat("/proc/", process, "/statm"));
  int64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

std::map<std::string, int> CountLeftovers(pid_t agent, const std::string& state_folder) {
  std::map<std::string, int> counts;
  const std::vector<pid_t> processes = e2e::DescendantsOf(agent);
  counts["processes"] = static_cast<int>(processes.size());
  counts["runners"] = static_cast<int>(e2e::RunnersOf(agent).size());
  counts["descriptors"] = OpenDescriptors(agent);
  for (const pid_t process : processes) counts["descriptors"] += OpenDescriptors(process);
  counts["mounts"] = Lines(absl::StrCat("/proc/", agent, "/mountinfo"));
  counts["shared memory"] = Named("/dev/shm", "burnish-hostile");
  std::ifstream objects("/proc/sysvipc/shm");
  for (std::string line; std::getline(objects, line);) {
    counts["shared memory"] += line.find(absl::StrCat(0x6275726e)) != std::string::npos ? 1 : 0;
  }
  counts["files"] = Named(state_folder, "build-");
  for (const char* folder : {"/tmp", "/var/tmp", "/usr/local", "/opt", "/root", "/var/lib"}) {
    counts["files"] += Named(folder, "burnish-hostile");
  }
  return counts;
}

std::vector<std::string> GroupsOf(const std::vector<pid_t>& processes) {
  std::vector<std::string> groups;
  std::error_code ignored;
  for (fs::recursive_directory_iterator entry("/sys/fs/cgroup", ignored), end;
       !ignored && entry != end; entry.increment(ignored)) {
    const std::string name = entry->path().filename();
    if (!entry->is_directory(ignored) || !name.starts_with("burnish-")) continue;
    for (const pid_t process : processes) {
      if (name.starts_with(absl::StrCat("burnish-", process, "-"))) groups.push_back(entry->path());
    }
  }
  return groups;
}

}  // namespace burnish::hostile
