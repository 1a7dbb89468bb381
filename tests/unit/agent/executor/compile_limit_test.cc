#include "agent/executor/compile_limit.h"

#include <gtest/gtest.h>

namespace burnish::agent {
namespace {

constexpr absl::Duration kJobs = absl::Seconds(60);

CompileLimit Seen(int count, absl::Duration each) {
  CompileLimit limit;
  for (int i = 0; i < count; ++i) limit.Note(each);
  return limit;
}

TEST(CompileLimitTest, TheJobsHoldsUntilEnoughIsKnown) {
  EXPECT_FALSE(Seen(7, absl::Seconds(2)).Limit(kJobs).has_value());
  EXPECT_EQ(Seen(8, absl::Seconds(2)).Limit(kJobs), absl::Seconds(20));
}

TEST(CompileLimitTest, TheLongestCounts) {
  CompileLimit limit = Seen(20, absl::Milliseconds(100));
  limit.Note(absl::Seconds(3));
  EXPECT_EQ(limit.Limit(kJobs), absl::Seconds(30));
}

TEST(CompileLimitTest, IsNeverSoShortThatABusyMachineDecidesNorLongerThanTheJobs) {
  EXPECT_EQ(Seen(20, absl::Milliseconds(1)).Limit(kJobs), absl::Seconds(10));
  EXPECT_FALSE(Seen(20, absl::Seconds(7)).Limit(kJobs).has_value());
}

}  // namespace
}  // namespace burnish::agent
