#include "client/cli/output.h"

#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace burnish::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

absl::Status BadConstraint() {
  return DiagnosticStatus(absl::StatusCode::kInvalidArgument,
                          {.file = "job.yaml",
                           .line = 14,
                           .column = 29,
                           .path = "constraints[0]",
                           .message = "unknown name 'BLCK'",
                           .hint = "did you mean 'BLOCK'?",
                           .excerpt = "  constraints: [\"n % (VEC * BLCK) == 0\"]"});
}

TEST(PrintErrorTest, TextHasPlaceCauseCaretAndFix) {
  CaptureStderr();
  EXPECT_EQ(PrintError(BadConstraint(), {}), kExitUsage);
  const std::string text = GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("error: job.yaml:14:29: constraints[0]: unknown name 'BLCK'\n"));
  EXPECT_THAT(text, HasSubstr("   14 |   constraints: [\"n % (VEC * BLCK) == 0\"]\n"));
  EXPECT_THAT(text, HasSubstr("      |                             ^\n"));
  EXPECT_THAT(text, HasSubstr("hint:  did you mean 'BLOCK'?\n"));
}

TEST(PrintErrorTest, JsonIsOneLineWithTheFixedKeys) {
  CaptureStderr();
  EXPECT_EQ(PrintError(BadConstraint(), {.json = true}), kExitUsage);
  const auto document = nlohmann::json::parse(GetCapturedStderr());
  EXPECT_EQ(document["code"], "invalid_argument");
  EXPECT_THAT(document["message"], HasSubstr("unknown name 'BLCK'"));
  EXPECT_EQ(document["hint"], "did you mean 'BLOCK'?");
  EXPECT_EQ(document["path"], "constraints[0]");
}

TEST(ExitCodeTest, EveryKindOfFailureHasItsCode) {
  EXPECT_EQ(ExitCodeOf(absl::OkStatus()), kExitDone);
  EXPECT_EQ(ExitCodeOf(absl::InvalidArgumentError("")), kExitUsage);
  EXPECT_EQ(ExitCodeOf(absl::FailedPreconditionError("")), kExitUsage);
  EXPECT_EQ(ExitCodeOf(absl::UnavailableError("")), kExitUnreachable);
  EXPECT_EQ(ExitCodeOf(absl::PermissionDeniedError("")), kExitNotAllowed);
  EXPECT_EQ(ExitCodeOf(absl::InternalError("")), kExitJobFailed);
}

TEST(FormatTableTest, AlignsByColumnsNotBytes) {
  EXPECT_EQ(FormatTable({{"a", "µs", "x"}, {"bbb", "1", "y"}}), "a    µs  x\nbbb  1   y\n");
}

}  // namespace
}  // namespace burnish::cli
