#include "common/spec/isolation_level.h"

namespace burnish::spec {
namespace {

constexpr IsolationLevel kLevels[] = {IsolationLevel::kNone, IsolationLevel::kProcess,
                                      IsolationLevel::kNamespace, IsolationLevel::kFull};

}  // namespace

const char* IsolationLevelName(IsolationLevel level) {
  switch (level) {
    case IsolationLevel::kNone:
      return "none";
    case IsolationLevel::kProcess:
      return "process";
    case IsolationLevel::kNamespace:
      return "namespace";
    case IsolationLevel::kFull:
      return "full";
  }
  return "none";
}

std::optional<IsolationLevel> ParseIsolationLevel(std::string_view name) {
  for (const IsolationLevel level : kLevels) {
    if (name == IsolationLevelName(level)) return level;
  }
  return std::nullopt;
}

std::vector<std::string> IsolationLevelNames(IsolationLevel strongest) {
  std::vector<std::string> names;
  for (const IsolationLevel level : kLevels) {
    if (level <= strongest) names.emplace_back(IsolationLevelName(level));
  }
  return names;
}

IsolationLevel IsolationLevelOf(std::string_view description) {
  return ParseIsolationLevel(description.substr(0, description.find(':')))
      .value_or(IsolationLevel::kNone);
}

}  // namespace burnish::spec
