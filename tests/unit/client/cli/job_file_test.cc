#include "client/cli/job_file.h"

#include <filesystem>
#include <fstream>

#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class JobFileTest : public ::testing::Test {
 protected:
  JobFileTest() : folder_(fs::path(::testing::TempDir()) / "burnish_job_file_test") {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "jobs/sub");
  }
  ~JobFileTest() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string JobNaming(const std::string& source) {
    return Write("jobs/job.yaml", "kernel:\n  source: {file: " + source + "}\n");
  }

  const fs::path folder_;
};

TEST_F(JobFileTest, LoadsTheSourcesOfTheFoldersBelow) {
  Write("jobs/sub/k.cc", "code");
  const auto job = LoadJobFile(JobNaming("sub/k.cc"), LoadSources::kYes);
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->files.at("sub/k.cc"), "code");
}

TEST_F(JobFileTest, AMissingSourceIsNamedWithItsPlace) {
  const auto job = LoadJobFile(JobNaming("k.cc"), LoadSources::kYes);
  const auto diagnostic = DiagnosticOf(job.status());
  ASSERT_TRUE(diagnostic.has_value());
  EXPECT_EQ(diagnostic->line, 2);
  EXPECT_THAT(diagnostic->path, HasSubstr("kernel.source"));
  EXPECT_THAT(diagnostic->message, HasSubstr("'k.cc'"));
}

TEST_F(JobFileTest, ASourceOutsideTheFolderIsRefused) {
  Write("secret.cc", "code");
  for (const std::string& name : {std::string("../secret.cc"), (folder_ / "secret.cc").string()}) {
    const auto job = LoadJobFile(JobNaming(name), LoadSources::kYes);
    EXPECT_THAT(std::string(job.status().message()), HasSubstr("outside the job file's folder"));
  }
}

TEST_F(JobFileTest, ALinkThatLeadsOutsideIsRefused) {
  Write("secret.cc", "code");
  fs::create_symlink(folder_ / "secret.cc", folder_ / "jobs/k.cc");
  const auto job = LoadJobFile(JobNaming("k.cc"), LoadSources::kYes);
  EXPECT_THAT(std::string(job.status().message()), HasSubstr("outside the job file's folder"));
}

TEST_F(JobFileTest, AMissingFileAndAFolderAreBadInput) {
  for (const std::string& path : {(folder_ / "no.yaml").string(), folder_.string()}) {
    const auto job = LoadJobFile(path, LoadSources::kYes);
    EXPECT_EQ(job.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(job.status().message()), HasSubstr(path));
  }
}

}  // namespace
}  // namespace burnish::cli
