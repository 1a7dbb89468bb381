#include "agent/config/state_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "agent/config/config.h"
#include "common/base/diagnostic.h"
#include "common/base/file.h"

namespace burnish::agent {
namespace {

namespace fs = std::filesystem;

class StateFolderTest : public ::testing::Test {
 protected:
  StateFolderTest() {
    std::string path = ::testing::TempDir() + "/state-XXXXXX";
    EXPECT_NE(::mkdtemp(path.data()), nullptr);
    root_ = path;
    path_ = path + "/deep/state";
  }
  ~StateFolderTest() override { fs::remove_all(root_); }

  std::string root_;
  std::string path_;
};

TEST_F(StateFolderTest, TheIdIsMadeOnceAndKept) {
  std::string id;
  {
    const auto folder = StateFolder::Open(path_);
    ASSERT_TRUE(folder.ok()) << folder.status();
    id = folder->StoredAgentId()->value();
    EXPECT_TRUE(IsValidAgentId(id)) << id;
    EXPECT_EQ(folder->StoredAgentId()->value(), id);
  }
  EXPECT_EQ(StateFolder::Open(path_)->StoredAgentId()->value(), id);
}

TEST_F(StateFolderTest, ADamagedIdIsAnErrorThatNamesTheFile) {
  const auto folder = StateFolder::Open(path_);
  ASSERT_TRUE(WriteFileAtomically(path_ + "/agent-id", "a/b\n", false).ok());
  const auto diagnostic = DiagnosticOf(folder->StoredAgentId().status());
  ASSERT_TRUE(diagnostic.has_value());
  EXPECT_EQ(diagnostic->file, path_ + "/agent-id");
}

TEST_F(StateFolderTest, TwoAgentsCannotShareIt) {
  {
    const auto first = StateFolder::Open(path_);
    const auto diagnostic = DiagnosticOf(StateFolder::Open(path_).status());
    ASSERT_TRUE(diagnostic.has_value());
    EXPECT_EQ(diagnostic->file, path_);
    EXPECT_THAT(diagnostic->hint, ::testing::HasSubstr("--state-dir"));
  }
  EXPECT_TRUE(StateFolder::Open(path_).ok());
}

TEST_F(StateFolderTest, WhatAKilledAgentLeftHalfDoneIsCleared) {
  std::string artefacts;
  {
    const auto folder = StateFolder::Open(path_);
    artefacts = folder->artefact_folder();
  }
  ASSERT_TRUE(MakeFolders(artefacts + "/build-a1b2c3").ok());
  ASSERT_TRUE(WriteFileAtomically(artefacts + "/build-a1b2c3/k.o", "x", false).ok());
  ASSERT_TRUE(WriteFileAtomically(artefacts + "/kept.so", "x", false).ok());
  ASSERT_TRUE(WriteFileAtomically(path_ + "/references/r.tmpq1w2e3", "x", false).ok());
  ASSERT_TRUE(WriteFileAtomically(path_ + "/journal/reports.tmpq1w2e3", "x", false).ok());
  ASSERT_TRUE(WriteFileAtomically(path_ + "/journal/reports", "x", false).ok());
  const auto folder = StateFolder::Open(path_);
  EXPECT_FALSE(fs::exists(path_ + "/journal/reports.tmpq1w2e3"));
  EXPECT_TRUE(fs::exists(path_ + "/journal/reports"));
  EXPECT_FALSE(fs::exists(artefacts + "/build-a1b2c3"));
  EXPECT_FALSE(fs::exists(path_ + "/references/r.tmpq1w2e3"));
  EXPECT_TRUE(fs::exists(artefacts + "/kept.so"));
}

}  // namespace
}  // namespace burnish::agent
