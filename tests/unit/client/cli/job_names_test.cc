#include "client/cli/job_names.h"

#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<pb::JobSnapshot> Jobs(
    const std::vector<std::pair<std::string, std::string>>& ids_and_names) {
  std::vector<pb::JobSnapshot> jobs;
  for (const auto& [id, name] : ids_and_names) {
    jobs.emplace_back().set_job_id(id);
    jobs.back().set_name(name);
  }
  return jobs;
}

const std::vector<pb::JobSnapshot> kJobs = Jobs({{"j40", "matmul"},
                                                 {"j31", "matmul-large"},
                                                 {"j30", "softmax"},
                                                 {"j9", "convolution"},
                                                 {"j8", "convolution"}});

TEST(PickJobTest, TakesTheNewestAUniqueNameOrItsBeginning) {
  EXPECT_EQ(*PickJob("@", kJobs), "j40");
  EXPECT_EQ(*PickJob("softmax", kJobs), "j30");
  EXPECT_EQ(*PickJob("matmul-", kJobs), "j31");
  EXPECT_EQ(*PickJob("matmul", kJobs), "j40") << "the whole name before a beginning";
}

TEST(PickJobTest, AnAmbiguousNameListsTheJobs) {
  const absl::Status status = PickJob("convolution", kJobs).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(DiagnosticOf(status)->hint, HasSubstr("j9 (convolution"));
  EXPECT_THAT(DiagnosticOf(status)->hint, HasSubstr("j8 (convolution"));
}

TEST(PickJobTest, AWrongIdListsTheNearestThree) {
  const absl::Status status = PickJob("j32", kJobs).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(DiagnosticOf(status)->hint, HasSubstr("nearest: j31 (matmul-large"));
  EXPECT_THAT(DiagnosticOf(status)->hint, Not(HasSubstr("j9")));
  EXPECT_THAT(DiagnosticOf(PickJob("softmux", kJobs).status())->hint,
              HasSubstr("nearest: j30 (softmax"));
}

TEST(PickJobTest, AnIdBelowTheNewestMayHaveBeenDeleted) {
  const auto hint = [](const std::string& text, const std::vector<pb::JobSnapshot>& jobs) {
    return DiagnosticOf(PickJob(text, jobs).status())->hint;
  };
  EXPECT_THAT(hint("j32", kJobs), HasSubstr("--keep-jobs"));
  EXPECT_THAT(hint("j1", {}), HasSubstr("--keep-jobs"));
  EXPECT_THAT(hint("j41", kJobs), Not(HasSubstr("--keep-jobs")));
  EXPECT_THAT(hint("softmux", kJobs), Not(HasSubstr("--keep-jobs")));
}

TEST(PickJobTest, WithoutJobsTheFormOfIdsIsShown) {
  EXPECT_THAT(std::string(PickJob("@", {}).status().message()), HasSubstr("no job yet"));
  EXPECT_THAT(DiagnosticOf(PickJob("latest", {}).status())->hint, HasSubstr("j42"));
}

}  // namespace
}  // namespace burnish::cli
