#include "agent/sandbox/isolation/isolation.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace burnish::isolation {
namespace {

constexpr Level kLevels[] = {Level::kNone, Level::kProcess, Level::kNamespace, Level::kFull};

}  // namespace

const char* LevelName(Level level) {
  switch (level) {
    case Level::kNone:
      return "none";
    case Level::kProcess:
      return "process";
    case Level::kNamespace:
      return "namespace";
    case Level::kFull:
      return "full";
  }
  return "none";
}

std::optional<Level> ParseLevel(std::string_view name) {
  for (const Level level : kLevels) {
    if (name == LevelName(level)) return level;
  }
  return std::nullopt;
}

std::vector<std::string> LevelNames() {
  std::vector<std::string> names;
  for (const Level level : kLevels) names.emplace_back(LevelName(level));
  return names;
}

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
  return absl::StrCat(LevelName(level()), ": ", absl::StrJoin(mechanisms, ", "));
}

std::optional<Level> LevelOf(std::string_view text) {
  return ParseLevel(text.substr(0, text.find(':')));
}

}  // namespace burnish::isolation
