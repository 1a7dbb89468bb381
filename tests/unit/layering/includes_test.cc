// Reads every #include of the tree and fails when a folder includes what it must not.
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish {
namespace {

namespace fs = std::filesystem;

// Whom a folder may include, beside itself. A folder that is not listed is an error, so that a
// new one has to state its place.
const std::map<std::string, std::set<std::string>>& AllowedFolders() {
  static const std::set<std::string> common_core = {"common/base",  "common/stats", "common/expr",
                                                    "common/space", "common/op",    "common/spec",
                                                    "common/work"};
  static const auto with = [](std::set<std::string> base, std::vector<std::string> more) {
    base.insert(more.begin(), more.end());
    return base;
  };
  static const std::map<std::string, std::set<std::string>> allowed = {
      {"common/base", {}},
      {"common/stats", {"common/base"}},
      {"common/expr", {"common/base"}},
      {"common/space", {"common/base", "common/expr"}},
      {"common/op", {"common/base"}},
      {"common/spec", {"common/base", "common/expr", "common/space", "common/op"}},
      {"common/work",
       {"common/base", "common/stats", "common/expr", "common/space", "common/op", "common/spec"}},
      {"common/measured", common_core},
      {"common/wire", common_core},
      {"common/flags", {"common/base"}},
      {"common/net", {"common/base"}},
      {"common/telemetry", {"common/base"}},
      {"common/http", {"common/base", "common/net"}},
      {"server/store", with(common_core, {"common/telemetry"})},
      {"server/store/sql", with(common_core, {"common/telemetry", "server/store"})},
      {"server/store/sqlite", with(common_core, {"server/store", "server/store/sql"})},
      {"server/store/postgres", with(common_core, {"server/store", "server/store/sql"})},
      {"server/costmodel", common_core},
      {"server/search", with(common_core, {"common/measured", "server/costmodel"})},
      {"server/templates", common_core},
      {"server/jobs", with(common_core, {"common/telemetry", "server/costmodel", "server/search",
                                         "server/store", "server/templates"})},
      {"server/dispatch", with(common_core, {"common/telemetry", "server/store"})},
      {"server/auth", with(common_core, {"server/store"})},
      {"server/loop", {"common/base"}},
      {"server/config", {"common/base", "common/flags", "common/net"}},
      {"server/telemetry", {"common/base", "common/telemetry"}},
      {"server/monitor",
       with(common_core, {"common/telemetry", "server/loop", "server/store", "server/telemetry"})},
      {"server/http",
       {"common/base", "common/net", "common/http", "common/telemetry", "server/monitor"}},
      {"server/private", {"common/base", "common/net"}},
      {"server/rpc",
       with(common_core, {"common/wire", "common/net", "common/telemetry", "server/store",
                          "server/jobs", "server/dispatch", "server/auth", "server/loop",
                          "server/private", "server/telemetry"})},
      {"server", with(common_core, {"common/net", "common/http", "common/telemetry",
                                    "server/telemetry", "server/monitor", "server/store",
                                    "server/store/sqlite", "server/store/postgres", "server/jobs",
                                    "server/dispatch", "server/rpc", "server/http", "server/auth",
                                    "server/loop", "server/config", "server/private"})},
      {"agent/measure", common_core},
      {"agent/verify", common_core},
      {"agent/sensors", {"common/base", "common/stats"}},
      {"agent/backends", common_core},
      {"agent/backends/null", with(common_core, {"agent/backends"})},
      {"agent/backends/cpu", with(common_core, {"agent/backends"})},
      {"agent/backends/replay", with(common_core, {"agent/backends", "common/measured"})},
      {"agent/worker",
       with(common_core, {"common/wire", "agent/measure", "agent/verify", "agent/sensors",
                          "agent/backends", "agent/backends/null", "agent/backends/cpu",
                          "agent/backends/replay", "agent/sandbox/isolation"})},
      {"agent/sandbox/isolation", {"common/base", "common/spec"}},
      {"agent/sandbox",
       with(common_core, {"common/wire", "common/telemetry", "agent/sandbox/isolation"})},
      {"agent/executor", with(common_core, {"common/wire", "agent/sandbox"})},
      {"agent/telemetry", with(common_core, {"common/telemetry"})},
      {"agent/config",
       {"common/base", "common/flags", "common/net", "common/spec", "agent/sensors"}},
      {"agent/session",
       with(common_core, {"common/wire", "common/net", "common/telemetry", "agent/executor"})},
      {"agent", with(common_core, {"common/net", "common/http", "common/telemetry",
                                   "agent/telemetry", "agent/config", "agent/session",
                                   "agent/executor", "agent/sandbox", "agent/sensors"})},
      {"client/cli", with(common_core, {"common/measured", "common/wire", "common/net",
                                        "server/search", "server/templates"})},
  };
  return allowed;
}

// Libraries that only some folders may see.
struct RestrictedHeader {
  std::string pattern;
  std::set<std::string> folders;
};
const std::vector<RestrictedHeader>& RestrictedHeaders() {
  static const std::vector<RestrictedHeader> restricted = {
      {R"(.*\.pb\.h)",
       {"common/wire", "server/rpc", "server/http", "agent/session", "agent/worker",
        "agent/sandbox", "client/cli"}},
      {R"(SQLiteCpp/.*|sqlite3\.h)", {"server/store/sqlite"}},
      {R"(pqxx/.*)", {"server/store/postgres"}},
      {R"(httplib\.h)", {"common/http", "server/http"}},
      {R"(prometheus/.*|spdlog/.*)", {"common/telemetry"}},
      {R"(seccomp\.h)", {"agent/sandbox/isolation"}},
      {R"(yaml-cpp/.*)", {"common/spec"}},
      {R"(xgboost/.*)", {"server/costmodel"}},
      {R"(grpcpp/.*|grpc/.*)",
       {"common/net", "server/rpc", "server", "agent/session", "client/cli"}},
      {R"(CL/.*|vulkan/.*|cuda.*|nvrtc.*)", {}},
  };
  return restricted;
}

std::string FolderOf(const fs::path& file) {
  return file.parent_path().lexically_relative(BURNISH_SOURCE_DIR).generic_string();
}

struct Include {
  fs::path file;
  int line;
  std::string target;
  bool quoted;
};

std::vector<Include> AllIncludes() {
  static const std::regex pattern(R"re(^\s*#\s*include\s*(["<])([^">]+)[">])re");
  std::vector<Include> includes;
  for (const char* top : {"common", "server", "agent", "client"}) {
    if (!fs::exists(fs::path(BURNISH_SOURCE_DIR) / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(BURNISH_SOURCE_DIR) / top)) {
      const std::string extension = entry.path().extension();
      if (extension != ".cc" && extension != ".h") continue;
      std::ifstream stream(entry.path());
      std::string text;
      for (int line = 1; std::getline(stream, text); ++line) {
        std::smatch match;
        if (std::regex_search(text, match, pattern)) {
          includes.push_back({entry.path(), line, match[2], match[1] == "\""});
        }
      }
    }
  }
  return includes;
}

std::string Where(const Include& include) {
  return include.file.lexically_relative(BURNISH_SOURCE_DIR).generic_string() + ":" +
         std::to_string(include.line) + " includes " + include.target;
}

bool IsOurs(const std::string& target) {
  static const std::regex ours(R"((common|server|agent|client|tests)/.*)");
  return std::regex_match(target, ours);
}

TEST(LayeringTest, TheTreeIsRead) { EXPECT_GT(AllIncludes().size(), 100u); }

TEST(LayeringTest, FoldersIncludeOnlyWhatTheyMay) {
  for (const Include& include : AllIncludes()) {
    const std::string folder = FolderOf(include.file);
    const auto allowed = AllowedFolders().find(folder);
    ASSERT_NE(allowed, AllowedFolders().end())
        << folder << " has no entry in AllowedFolders of this test";
    if (!IsOurs(include.target)) continue;
    const std::string target = fs::path(include.target).parent_path().generic_string();
    EXPECT_TRUE(target == folder || allowed->second.contains(target)) << Where(include);
  }
}

TEST(LayeringTest, AllowedFoldersHaveNoCycle) {
  // The table itself must be a partial order: visit depth first and look for a way back.
  std::map<std::string, int> state;  // 1: on the path, 2: done
  const std::function<void(const std::string&)> visit = [&](const std::string& folder) {
    state[folder] = 1;
    for (const std::string& next : AllowedFolders().at(folder)) {
      ASSERT_NE(state[next], 1) << "cycle through " << folder << " and " << next;
      if (state[next] == 0) visit(next);
    }
    state[folder] = 2;
  };
  for (const auto& [folder, _] : AllowedFolders()) {
    if (state[folder] == 0) visit(folder);
  }
}

TEST(LayeringTest, RestrictedLibrariesStayInTheirFolders) {
  for (const Include& include : AllIncludes()) {
    for (const RestrictedHeader& restricted : RestrictedHeaders()) {
      if (!std::regex_match(include.target, std::regex(restricted.pattern))) continue;
      EXPECT_TRUE(restricted.folders.contains(FolderOf(include.file))) << Where(include);
    }
  }
}

// Time, randomness and the environment come through common/base only.
TEST(LayeringTest, ClockRandomnessAndEnvironmentComeThroughBase) {
  static const std::regex banned(
      R"(absl::Now\(|absl::SleepFor|std::random_device|std::mt19937|\brand\(\)|\bgetenv\(|steady_clock|system_clock|sleep_for|\busleep\()");
  for (const char* top : {"common", "server", "agent", "client"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(BURNISH_SOURCE_DIR) / top)) {
      const std::string extension = entry.path().extension();
      if ((extension != ".cc" && extension != ".h") || FolderOf(entry.path()) == "common/base") {
        continue;
      }
      std::ifstream stream(entry.path());
      std::string text;
      for (int line = 1; std::getline(stream, text); ++line) {
        EXPECT_FALSE(std::regex_search(text, banned))
            << entry.path().lexically_relative(BURNISH_SOURCE_DIR) << ":" << line << ": " << text;
      }
    }
  }
}

}  // namespace
}  // namespace burnish
