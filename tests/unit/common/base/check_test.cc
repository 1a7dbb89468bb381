#include "common/base/check.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"

namespace burnish {
namespace {

TEST(Check, PassesWhatHolds) {
  CHECK(1 + 1 == 2) << "not evaluated";
  CHECK_OK(absl::OkStatus());
}

TEST(CheckDeathTest, NamesPlaceConditionAndMessage) {
  const int n = 3;
  EXPECT_DEATH(CHECK(n < 3) << "n = " << n, "check_test.cc:.*CHECK failed: n < 3 n = 3");
  EXPECT_DEATH(CHECK_OK(absl::InternalError("boom")), "boom");
}

}  // namespace
}  // namespace burnish
