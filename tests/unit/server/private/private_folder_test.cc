#include "server/private/private_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace burnish::server {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class PrivateFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "private_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { fs::remove_all(root_); }
  fs::path root_;
};

TEST_F(PrivateFolderTest, IsOwnedByOneServerAtATime) {
  const std::string path = root_ / "a" / "burnish";
  {
    const auto first = PrivateDataFolder::Own(path);
    ASSERT_TRUE(first.ok()) << first.status();
    EXPECT_EQ(PrivateDataFolder::Own(path).status().code(), absl::StatusCode::kAlreadyExists);
  }
  EXPECT_TRUE(PrivateDataFolder::Own(path).ok());
}

TEST_F(PrivateFolderTest, AnnouncesItsServerForAsLongAsItIsOwned) {
  const fs::path announcement = root_ / "server.json";
  {
    auto folder = PrivateDataFolder::Own(root_);
    ASSERT_TRUE(folder.ok());
    ASSERT_TRUE(folder->Announce("unix:/run/x/socket").ok());
    const auto content = nlohmann::json::parse(*ReadFile(announcement, 4096));
    EXPECT_EQ(content.at("pid"), ::getpid());
    EXPECT_EQ(content.at("address"), "unix:/run/x/socket");
  }
  EXPECT_FALSE(fs::exists(announcement));
}

TEST_F(PrivateFolderTest, MakesASocketFolderForThisUserAloneAndRemovesIt) {
  const fs::path folder = root_ / "socket_folder";
  {
    const auto prepared = PrivateSocketFolder::Prepare(folder / "socket");
    ASSERT_TRUE(prepared.ok()) << prepared.status();
    EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
    std::ofstream(folder / "socket");
  }
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(PrivateFolderTest, ReplacesTheSocketOfADeadServer) {
  const fs::path folder = root_ / "socket_folder";
  ASSERT_EQ(::mkdir(folder.c_str(), 0700), 0);
  std::ofstream(folder / "socket");
  const auto prepared = PrivateSocketFolder::Prepare(folder / "socket");
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_FALSE(fs::exists(folder / "socket"));
}

TEST_F(PrivateFolderTest, RefusesASocketFolderThatOthersCanOpen) {
  const fs::path folder = root_ / "socket_folder";
  ASSERT_EQ(::mkdir(folder.c_str(), 0700), 0);
  ASSERT_EQ(::chmod(folder.c_str(), 0750), 0);
  EXPECT_THAT(PrivateSocketFolder::Prepare(folder / "socket").status().message(),
              HasSubstr("open to other users"));
  EXPECT_TRUE(fs::exists(folder));
}

TEST_F(PrivateFolderTest, RefusesALinkInPlaceOfASocketFolder) {
  ASSERT_EQ(::mkdir((root_ / "elsewhere").c_str(), 0700), 0);
  fs::create_directory_symlink(root_ / "elsewhere", root_ / "link");
  EXPECT_THAT(PrivateSocketFolder::Prepare(root_ / "link" / "socket").status().message(),
              HasSubstr("not a folder"));
}

}  // namespace
}  // namespace burnish::server
