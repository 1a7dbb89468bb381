#include "common/work/work_item.h"

#include <gtest/gtest.h>

namespace burnish::work {
namespace {

TEST(WorkKindName, NamesEveryKind) {
  EXPECT_STREQ(WorkKindName(MeasureWork{}), "measure");
  EXPECT_STREQ(WorkKindName(CompareWork{}), "compare");
}

}  // namespace
}  // namespace burnish::work
