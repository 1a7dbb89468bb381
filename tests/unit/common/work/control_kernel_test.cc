#include "common/work/control_kernel.h"

#include <gtest/gtest.h>

namespace burnish::work {
namespace {

TEST(ControlKernel, IsTheSameEveryTime) {
  ASSERT_TRUE(ControlKernel("cpu").has_value());
  EXPECT_EQ(HashOf(*ControlKernel("cpu")), HashOf(*ControlKernel("cpu")));
}

TEST(ControlKernel, IsVerifiedWhereTheBackendComputes) {
  EXPECT_EQ(ControlKernel("cpu")->reference.kind, spec::Reference::Kind::kFunction);
  EXPECT_EQ(ControlKernel("null")->reference.kind, spec::Reference::Kind::kNone);
}

TEST(ControlKernel, IsAbsentWhereThereIsNone) { EXPECT_FALSE(ControlKernel("replay").has_value()); }

}  // namespace
}  // namespace burnish::work
