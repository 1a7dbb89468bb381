#include "common/spec/vocabulary.h"

#include <gtest/gtest.h>

#include <string>

namespace burnish::spec {
namespace {

TEST(VocabularyTest, SelectorNamesAreKnownAndLabelsNeedAKey) {
  for (const std::string& name : SelectorNames()) EXPECT_TRUE(IsSelectorName(name)) << name;
  EXPECT_TRUE(IsSelectorName("label.rack"));
  EXPECT_FALSE(IsSelectorName("label."));
  EXPECT_FALSE(IsSelectorName("label"));
  EXPECT_FALSE(IsSelectorName("cpu"));
}

}  // namespace
}  // namespace burnish::spec
