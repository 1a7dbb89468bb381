#include "common/work/device.h"

#include <gtest/gtest.h>

#include "common/base/diagnostic.h"

namespace burnish::work {
namespace {

DeviceInfo Example() {
  DeviceInfo device;
  device.backend = "cpu";
  device.name = "AMD EPYC 9R14";
  device.device_class = "x86_64-epyc";
  device.vendor = "AMD";
  device.arch = "x86_64";
  device.cores = 8;
  device.memory_bytes = int64_t{16} << 30;
  device.isa = {"avx2", "avx512f"};
  device.labels = {{"rack", "7"}};
  return device;
}

bool Matches(const std::string& selector) {
  const absl::StatusOr<bool> matches =
      SelectorMatches(*expr::Expression::Parse(selector), Example());
  EXPECT_TRUE(matches.ok()) << matches.status();
  return matches.value_or(false);
}

TEST(SelectorMatches, KnowsEveryCapability) {
  EXPECT_TRUE(Matches("true"));
  EXPECT_TRUE(Matches("backend == 'cpu' and vendor == 'AMD' and arch == 'x86_64'"));
  EXPECT_TRUE(Matches("name == 'AMD EPYC 9R14' and device_class == 'x86_64-epyc'"));
  EXPECT_TRUE(Matches("cores >= 8 and memory_bytes >= 2 ** 34"));
  EXPECT_TRUE(Matches("'avx512f' in isa and 'amx' not in isa"));
  EXPECT_FALSE(Matches("backend == 'cuda'"));
  EXPECT_FALSE(Matches("cores > 8"));
}

TEST(SelectorMatches, AnIsolationLevelHoldsTheWeakerOnes) {
  DeviceInfo device = Example();
  device.isolation = "namespace: user pid namespaces, rlimits";
  const auto matches = [&](const std::string& selector) {
    return SelectorMatches(*expr::Expression::Parse(selector), device).value();
  };
  EXPECT_TRUE(matches("'none' in isolation and 'namespace' in isolation"));
  EXPECT_FALSE(matches("'full' in isolation"));
  device.isolation = "";
  EXPECT_TRUE(matches("'none' in isolation and 'process' not in isolation"));
}

TEST(SelectorMatches, TakesALabelThatIsAbsentForEmpty) {
  EXPECT_TRUE(Matches("label.rack == '7'"));
  EXPECT_TRUE(Matches("label.room == ''"));
  EXPECT_FALSE(Matches("label.room == '7'"));
}

TEST(SelectorMatches, RefusesUnknownNamesWithTheirPlace) {
  const auto selector = *expr::Expression::Parse("cores > 2 and bakend == 'cpu'");
  const absl::Status status = SelectorMatches(selector, Example()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  const auto diagnostic = DiagnosticOf(status);
  ASSERT_TRUE(diagnostic.has_value());
  EXPECT_EQ(diagnostic->message, "unknown name 'bakend'");
  EXPECT_EQ(diagnostic->hint, "did you mean 'backend'?");
  EXPECT_EQ(diagnostic->column, 15);
  EXPECT_EQ(diagnostic->excerpt, selector.text());
}

TEST(SelectorMatches, PassesOnErrorsOfTheExpression) {
  const auto matches = SelectorMatches(*expr::Expression::Parse("cores // 0 == 1"), Example());
  EXPECT_EQ(matches.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(SelectorNames, AreAllKnown) {
  for (const std::string& name : SelectorNames()) EXPECT_TRUE(Matches(name + " == " + name));
}

TEST(EnvironmentHash, DependsOnEveryKeyAndValue) {
  const std::string hash = EnvironmentHash({{"os", "linux"}, {"compiler", "gcc 12"}});
  EXPECT_EQ(hash.size(), 64u);
  EXPECT_EQ(EnvironmentHash({{"compiler", "gcc 12"}, {"os", "linux"}}), hash);
  EXPECT_NE(EnvironmentHash({{"compiler", "gcc 13"}, {"os", "linux"}}), hash);
  EXPECT_NE(EnvironmentHash({{"os", "linux"}}), hash);
  EXPECT_NE(EnvironmentHash({{"a", "b=c"}}), EnvironmentHash({{"a=b", "c"}}));
}

}  // namespace
}  // namespace burnish::work
