#include "common/wire/configuration.h"

#include <cstdint>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::wire {
namespace {

using ::testing::HasSubstr;

TEST(ConfigurationWire, KeepsEveryKindOfValueAndTheOrder) {
  const space::Configuration configuration = {
      {"FLAG", true}, {"BLOCK", int64_t{-64}}, {"SCALE", 2.5}, {"ORDER", std::string("ij")}};
  const auto back = FromProto(ToProto(configuration));
  ASSERT_TRUE(back.ok()) << back.status();
  ASSERT_EQ(back->size(), configuration.size());
  for (size_t i = 0; i < configuration.size(); ++i) {
    EXPECT_EQ((*back)[i].name, configuration[i].name);
    // The variant's own comparison: true must not come back as the integer 1.
    EXPECT_EQ((*back)[i].value.index(), configuration[i].value.index());
    EXPECT_TRUE(expr::Equal((*back)[i].value, configuration[i].value));
  }
}

TEST(ConfigurationWire, RefusesAValueOfNoKnownKind) {
  const auto value = FromProto(pb::Value());
  EXPECT_EQ(value.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(value.status().message(), HasSubstr("value.kind"));
}

TEST(ConfigurationWire, RefusesRealsThatAreNotFinite) {
  pb::Value value;
  value.set_real(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(FromProto(value).status().message(), HasSubstr("value.real"));
  value.set_real(std::numeric_limits<double>::infinity());
  EXPECT_FALSE(FromProto(value).ok());
}

TEST(ConfigurationWire, NamesTheSettingThatIsWrong) {
  pb::Configuration configuration;
  configuration.add_settings()->set_name("BLOCK");
  EXPECT_THAT(FromProto(configuration).status().message(), HasSubstr("'BLOCK'"));

  configuration.mutable_settings(0)->mutable_value()->set_integer(1);
  *configuration.add_settings() = configuration.settings(0);
  EXPECT_THAT(FromProto(configuration).status().message(), HasSubstr("'BLOCK': is there twice"));

  pb::Setting nameless;
  nameless.mutable_value()->set_integer(1);
  EXPECT_THAT(FromProto(nameless).status().message(), HasSubstr("setting.name"));
}

}  // namespace
}  // namespace burnish::wire
