#include "agent/sandbox/isolation/isolation.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace burnish::isolation {
Level Isolation::level() const {
  if (!limits) return Level::kNone;
  if (!namespaces) return Level::kProcess;
  return seccomp && cgroup != CgroupVersion::kNone ? Level::kFull : Level::kNamespace;
}

std::string Isolation::ToText() const {
  std::vector<std::string> mechanisms;
  if (namespaces) mechanisms.emplace_back("user pid mount net ipc uts namespaces");
  if (cgroup != CgroupVersion::kNone) {
    mechanisms.emplace_back(cgroup == CgroupVersion::kV1 ? "cgroup v1" : "cgroup v2");
  }
  if (seccomp) mechanisms.emplace_back("seccomp");
  if (limits) mechanisms.emplace_back("rlimits");
  if (mechanisms.empty()) mechanisms.emplace_back("process group");
  return absl::StrCat(spec::IsolationLevelName(level()), ": ", absl::StrJoin(mechanisms, ", "));
}

}  // namespace burnish::isolation
