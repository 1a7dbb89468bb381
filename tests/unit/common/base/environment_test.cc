#include "common/base/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace burnish {
namespace {

class PathVariable {
 public:
  explicit PathVariable(const char* value) : old_(EnvironmentVariable("PATH").value_or("")) {
    ::setenv("PATH", value, 1);
  }
  ~PathVariable() { ::setenv("PATH", old_.c_str(), 1); }

 private:
  std::string old_;
};

TEST(EnvironmentVariable, TellsEmptyFromAbsent) {
  ::setenv("BURNISH_TEST_EMPTY", "", 1);
  EXPECT_EQ(EnvironmentVariable("BURNISH_TEST_EMPTY"), "");
  ::unsetenv("BURNISH_TEST_EMPTY");
  EXPECT_EQ(EnvironmentVariable("BURNISH_TEST_EMPTY"), std::nullopt);
}

TEST(FindProgram, SearchesThePathInOrder) {
  const PathVariable path("/nowhere:/bin:/usr/bin");
  EXPECT_EQ(FindProgram("sh"), "/bin/sh");
}

TEST(FindProgram, FindsOnlyExecutableFilesOfAbsoluteFolders) {
  const PathVariable path("/etc::.:/");
  EXPECT_EQ(FindProgram("passwd"), std::nullopt);  // not executable
  EXPECT_EQ(FindProgram("usr"), std::nullopt);     // a folder
  EXPECT_EQ(FindProgram("sh"), std::nullopt);
}

TEST(ExecutableFolder, HoldsThisTest) {
  EXPECT_TRUE(std::filesystem::exists(ExecutableFolder() + "/common_base_test"));
}

}  // namespace
}  // namespace burnish
