#include "server/rpc/answer.h"

#include "common/base/diagnostic.h"
#include "common/net/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::rpc {
namespace {

using ::testing::HasSubstr;

absl::Status AsTheClientSeesIt(const absl::Status& status) {
  return net::ToAbslStatus(ToAnswer(status));
}

TEST(Answer, SaysWhatToDoAboutADatabaseThatCannotBeUsed) {
  for (const auto& [status, advice] : {std::pair{absl::UnavailableError("gone"), "try again"},
                                       {absl::ResourceExhaustedError("full"), "make room"}}) {
    const absl::Status answer = AsTheClientSeesIt(status);
    EXPECT_EQ(answer.code(), status.code());
    EXPECT_EQ(answer.message(), status.message());
    ASSERT_TRUE(DiagnosticOf(answer).has_value());
    EXPECT_THAT(DiagnosticOf(answer)->hint, HasSubstr(advice));
  }
}

TEST(Answer, LeavesEverythingElseAsItIs) {
  const absl::Status draining = DiagnosticStatus(
      absl::StatusCode::kUnavailable, {.message = "about to stop", .hint = "submit elsewhere"});
  for (const absl::Status& status :
       {absl::OkStatus(), absl::NotFoundError("no job j1"), draining}) {
    EXPECT_EQ(AsTheClientSeesIt(status), status);
  }
}

}  // namespace
}  // namespace burnish::rpc
