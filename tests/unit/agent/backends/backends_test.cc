// What every backend has to do; a backend in the registry is tested by being there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "agent/backends/registry.h"
#include "common/base/random.h"

namespace burnish::backends {
namespace {

class BackendTest : public ::testing::TestWithParam<std::string> {
 protected:
  const Backend& backend_ = *FindBackend(GetParam());
};

TEST_P(BackendTest, DescribesItsDevices) {
  std::set<int> indices;
  for (const work::DeviceInfo& device : backend_.Devices()) {
    EXPECT_EQ(device.backend, GetParam());
    EXPECT_FALSE(device.name.empty());
    EXPECT_FALSE(device.device_class.empty());
    EXPECT_FALSE(device.exclusion_group.empty());
    EXPECT_EQ(device.languages.empty(), !device.unavailable_reason.empty());
    EXPECT_TRUE(indices.insert(device.index).second);
  }
  EXPECT_THAT(indices, ::testing::Not(::testing::IsEmpty()));
}

TEST_P(BackendTest, RanksByAQuantile) {
  EXPECT_GT(backend_.ranking_quantile(), 0);
  EXPECT_LE(backend_.ranking_quantile(), 0.5);
}

TEST_P(BackendTest, RefusesToLoadWhatIsNoArtefact) {
  const auto loaded = backend_.loader().Load({.artefact_path = "/dev/null"});
  EXPECT_FALSE(loaded.ok());
  EXPECT_NE(loaded.status().message(), "");
}

INSTANTIATE_TEST_SUITE_P(All, BackendTest, ::testing::ValuesIn(BackendNames()),
                         [](const auto& info) { return info.param; });

TEST(RegistryTest, KnowsNoOthers) { EXPECT_EQ(FindBackend("gpu"), nullptr); }

TEST(NullBackendTest, WaitsForTheTimeThatItsReadmeSays) {
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("burnish-null-" + RandomHexId())).string();
  const Backend& backend = *FindBackend("null");
  CompileJob job;
  job.artefact_folder = folder;
  job.configuration = {{"A", expr::Value(int64_t{32})}, {"B", expr::Value(std::string("x"))}};
  const CompileResult result = backend.compiler().Compile(job);
  ASSERT_EQ(result.outcome, work::Outcome::kOk) << result.message;
  const auto kernel = backend.loader().Load({.artefact_path = result.artefact.path});
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_GE((*kernel)->Run(10).value(), 1'400'000);  // 100 us + 20 us * |5 - 3| each
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace burnish::backends
