#include "common/base/dtype.h"

#include <gtest/gtest.h>

namespace burnish {
namespace {

TEST(DtypeTest, NamesReadBack) {
  EXPECT_EQ(DtypeNames().size(), 12u);
  for (const std::string& name : DtypeNames()) {
    const std::optional<Dtype> dtype = ParseDtype(name);
    ASSERT_TRUE(dtype.has_value()) << name;
    EXPECT_EQ(DtypeName(*dtype), name);
    EXPECT_EQ(DtypeBytes(*dtype) * 8, std::stoul(name.substr(name.find_first_of("0123456789"))));
    EXPECT_EQ(IsFloating(*dtype), name.find('f') != std::string::npos);
  }
  EXPECT_FALSE(ParseDtype("float").has_value());
}

}  // namespace
}  // namespace burnish
