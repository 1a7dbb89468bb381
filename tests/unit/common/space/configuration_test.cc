#include "common/space/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace burnish::space {
namespace {

using ::testing::HasSubstr;

const Configuration kMixed = {{"ORDER", "ij"},  {"BLOCK", 32},
                              {"SCALE", 2.0},   {"TINY", 1.5e-9},
                              {"UNROLL", true}, {"LEAST", std::numeric_limits<int64_t>::min()}};

TEST(ConfigurationTest, IsWrittenInItsOrder) {
  EXPECT_EQ(ToJson(kMixed),
            R"({"ORDER": "ij", "BLOCK": 32, "SCALE": 2.0, "TINY": 1.5e-09, "UNROLL": true, )"
            R"("LEAST": -9223372036854775808})");
  EXPECT_EQ(ToJson({}), "{}");
}

TEST(ConfigurationTest, HasOneCanonicalForm) {
  EXPECT_EQ(CanonicalJson({{"B", 1}, {"A", "x\"\n"}, {"a", false}}),
            R"({"A":"x\"\n","B":1,"a":false})");
  Configuration reversed(kMixed.rbegin(), kMixed.rend());
  EXPECT_EQ(CanonicalJson(reversed), CanonicalJson(kMixed));
}

TEST(ConfigurationTest, ReadsBackWithOrderAndTypes) {
  for (const std::string& json :
       {ToJson(kMixed), std::string(R"({"x": 1e300, "y": "µ", "a": -1})"), std::string("{}")}) {
    const auto read = ConfigurationFromJson(json);
    ASSERT_TRUE(read.ok()) << read.status();
    const auto again = ConfigurationFromJson(ToJson(*read));
    ASSERT_TRUE(again.ok());
    ASSERT_EQ(again->size(), read->size());
    for (size_t i = 0; i < read->size(); ++i) {
      EXPECT_EQ((*again)[i].name, (*read)[i].name);
      EXPECT_STREQ(TypeName((*again)[i].value), TypeName((*read)[i].value));
      EXPECT_TRUE(Equal((*again)[i].value, (*read)[i].value));
    }
  }
  const auto read = ConfigurationFromJson(ToJson(kMixed));
  EXPECT_EQ((*read)[0].name, "ORDER");
  EXPECT_STREQ(TypeName((*read)[2].value), "real");
}

TEST(ConfigurationTest, OtherJsonIsRefused) {
  const struct {
    const char* json;
    const char* message;
  } cases[] = {
      {"", "not valid JSON"},
      {"{\"a\": 1", "not valid JSON"},
      {"{\"a\": 1e999}", "not valid JSON"},
      {"[1]", "must be a JSON object"},
      {"3", "must be a JSON object"},
      {R"({"a": 1, "b": 2, "a": 3})", "sets 'a' twice"},
      {R"({"a": null})", "'a' must be a 64-bit number, a string or a boolean"},
      {R"({"a": [1]})", "'a' must be"},
      {R"({"a": {"a": 1}})", "'a' must be"},
      {R"({"a": 9223372036854775808})", "'a' must be"},
  };
  for (const auto& bad : cases) {
    const auto read = ConfigurationFromJson(bad.json);
    ASSERT_FALSE(read.ok()) << bad.json;
    EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(read.status().message()), HasSubstr(bad.message));
  }
}

TEST(ConfigurationTest, IsTheSameInAnyOrderWithEqualValues) {
  EXPECT_TRUE(SameConfiguration({{"a", 1}, {"b", "x"}}, {{"b", "x"}, {"a", 1.0}}));
  EXPECT_FALSE(SameConfiguration({{"a", 1}}, {{"a", 2}}));
  EXPECT_FALSE(SameConfiguration({{"a", 1}}, {{"b", 1}}));
  EXPECT_FALSE(SameConfiguration({{"a", 1}}, {{"a", 1}, {"b", 1}}));
}

}  // namespace
}  // namespace burnish::space
