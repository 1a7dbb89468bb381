#include "common/work/measurement.h"

#include <gtest/gtest.h>

#include <set>

namespace burnish::work {
namespace {

TEST(Outcome, HasANameThatReadsBack) {
  std::set<std::string> names;
  for (const Outcome outcome : AllOutcomes()) {
    names.insert(OutcomeName(outcome));
    EXPECT_EQ(ParseOutcome(OutcomeName(outcome)), outcome);
  }
  EXPECT_EQ(names.size(), 13u);
  EXPECT_TRUE(names.contains("compile_error"));
  EXPECT_EQ(ParseOutcome("OK"), std::nullopt);
  EXPECT_EQ(ParseOutcome(""), std::nullopt);
}

TEST(Sample, DividesByItsLaunches) {
  EXPECT_DOUBLE_EQ((Sample{.total_ns = 3000, .launches = 2}).LatencySeconds(), 1.5e-6);
}

}  // namespace
}  // namespace burnish::work
