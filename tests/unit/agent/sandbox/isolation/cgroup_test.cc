#include "agent/sandbox/isolation/cgroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"

namespace burnish::isolation {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A made-up hierarchy of control groups.
class CgroupTest : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove_all(mount_); }

  void Write(const std::string& file, const std::string& text) {
    fs::create_directories(fs::path(mount_ + "/" + file).parent_path());
    std::ofstream(mount_ + "/" + file) << text;
  }
  std::string Read(const std::string& file) const {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  const std::string mount_ = fs::temp_directory_path() / ("burnish-groups-" + RandomHexId());
};

TEST_F(CgroupTest, Version2IsTakenWhereItsControllersAreHandedDown) {
  Write("agent/cgroup.controllers", "cpu memory pids\n");
  Write("agent/cgroup.subtree_control", "memory pids\n");
  Write("agent/cgroup.procs", "");
  const auto parent = CgroupParent::Find(mount_, "0::/agent\n");
  ASSERT_TRUE(parent.ok()) << parent.status();
  EXPECT_EQ(parent->version(), CgroupVersion::kV2);
  EXPECT_EQ(parent->memory(), mount_ + "/agent");
  const auto group = Cgroup::Make(*parent, 3, {.memory_bytes = 1000, .tasks = 20});
  ASSERT_TRUE(group.ok()) << group.status();
  ASSERT_EQ(group->folders().size(), 1u);
  const std::string folder = absl::StrCat(mount_, "/agent/burnish-", ::getpid(), "-3");
  EXPECT_EQ(group->folders()[0], folder);
  EXPECT_EQ(Read(folder + "/memory.max"), "1000");
  EXPECT_EQ(Read(folder + "/pids.max"), "20");
  std::ofstream(folder + "/memory.events") << "oom 3\noom_kill 2\n";
  EXPECT_EQ(group->OomKills(), 2);
}

TEST_F(CgroupTest, ControllersAreSwitchedOnWhereTheyAreNot) {
  Write("cgroup.controllers", "memory pids\n");
  Write("cgroup.subtree_control", "");
  Write("cgroup.procs", "");
  ASSERT_TRUE(CgroupParent::Find(mount_, "0::/\n").ok());
  EXPECT_EQ(Read(mount_ + "/cgroup.subtree_control"), "+pids");
}

TEST_F(CgroupTest, Version1HasAGroupForEachController) {
  Write("memory/job/7/cgroup.procs", "");
  Write("pids/cgroup.procs", "");
  const auto parent = CgroupParent::Find(mount_, "8:pids:/\n4:memory:/job/7\n0::/\n");
  ASSERT_TRUE(parent.ok()) << parent.status();
  EXPECT_EQ(parent->version(), CgroupVersion::kV1);
  EXPECT_EQ(parent->memory(), mount_ + "/memory/job/7");
  EXPECT_EQ(parent->tasks(), mount_ + "/pids");
  const auto group = Cgroup::Make(*parent, 1, {.memory_bytes = 1000, .tasks = 20});
  ASSERT_TRUE(group.ok()) << group.status();
  EXPECT_EQ(Read(group->folders()[0] + "/memory.limit_in_bytes"), "1000");
  EXPECT_EQ(Read(group->folders()[1] + "/pids.max"), "20");
}

TEST_F(CgroupTest, WithoutControllersThereIsNoneAndNothingIsMade) {
  Write("cgroup.controllers", "cpu\n");
  const auto parent = CgroupParent::Find(mount_, "0::/\n");
  EXPECT_THAT(std::string(parent.status().message()), HasSubstr("no memory controller"));
  EXPECT_EQ(std::distance(fs::directory_iterator(mount_), fs::directory_iterator()), 1);
}

TEST_F(CgroupTest, GroupsOfDeadProcessesAreRemoved) {
  fs::create_directories(mount_ + "/memory/burnish-2147483647-1");
  fs::create_directories(mount_ + "/memory/burnish-of-somebody-else");
  fs::create_directories(absl::StrCat(mount_, "/memory/burnish-", ::getpid(), "-1"));
  fs::create_directories(mount_ + "/pids/burnish-2147483647-1");
  Write("memory/cgroup.procs", "");
  Write("pids/cgroup.procs", "");
  const auto parent = CgroupParent::Find(mount_, "8:pids:/\n4:memory:/\n");
  ASSERT_TRUE(parent.ok()) << parent.status();
  parent->RemoveStale();
  EXPECT_FALSE(fs::exists(mount_ + "/memory/burnish-2147483647-1"));
  EXPECT_FALSE(fs::exists(mount_ + "/pids/burnish-2147483647-1"));
  EXPECT_TRUE(fs::exists(mount_ + "/memory/burnish-of-somebody-else"));
  EXPECT_TRUE(fs::exists(absl::StrCat(mount_, "/memory/burnish-", ::getpid(), "-1")));
}

TEST(RealCgroupTest, HoldsAProcessAndGoesWithItsObject) {
  const auto parent = CgroupParent::FindOwn();
  if (!parent.ok()) GTEST_SKIP() << parent.status();
  std::vector<std::string> folders;
  {
    const auto group = Cgroup::Make(*parent, 9, {.memory_bytes = 64 << 20, .tasks = 4});
    ASSERT_TRUE(group.ok()) << group.status();
    folders = group->folders();
    const pid_t child = ::fork();
    if (child == 0) {
      for (const std::string& folder : folders) {
        if (!JoinCgroup(folder).ok()) ::_exit(1);
      }
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    for (const std::string& folder : folders) EXPECT_TRUE(fs::exists(folder));
  }
  for (const std::string& folder : folders) EXPECT_FALSE(fs::exists(folder));
}

}  // namespace
}  // namespace burnish::isolation
