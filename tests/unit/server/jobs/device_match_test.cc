#include "server/jobs/device_match.h"

#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::jobs {
namespace {

spec::JobSpec CppJob(const std::string& devices = "true") {
  spec::JobSpec spec;
  spec.kernels.emplace_back();
  spec.kernels.back().language = "cpp";
  spec.devices = *expr::Expression::Parse(devices);
  return spec;
}

store::DeviceRow Device(const std::string& id, const std::string& device_class) {
  store::DeviceRow row;
  row.device.id = DeviceId(id);
  row.device.info.backend = "cpu";
  row.device.info.name = "Test CPU";
  row.device.info.device_class = device_class;
  row.device.info.languages = {"cpp"};
  row.live = true;
  return row;
}

std::vector<std::string> Names(const absl::StatusOr<std::vector<work::DeviceInfo>>& devices) {
  EXPECT_TRUE(devices.ok()) << devices.status();
  std::vector<std::string> names;
  for (const work::DeviceInfo& device : *devices) names.push_back(device.device_class);
  return names;
}

TEST(MatchingClasses, NamesEachClassOnce) {
  const auto classes = MatchingClasses(
      CppJob(), {Device("a/cpu:0", "zen4"), Device("b/cpu:0", "zen4"), Device("c/cpu:0", "m1")});
  ASSERT_TRUE(classes.ok()) << classes.status();
  EXPECT_THAT(Names(classes), testing::ElementsAre("zen4", "m1"));
}

TEST(MatchingClasses, SaysOfEveryDeviceWhyItDoesNotServe) {
  store::DeviceRow gpu = Device("b/cuda:0", "sm_90");
  gpu.device.info.backend = "cuda";
  gpu.device.info.languages = {"cuda"};
  store::DeviceRow without_compiler = Device("c/cpu:0", "zen4");
  without_compiler.device.info.languages = {};
  without_compiler.device.info.unavailable_reason = "no C++ compiler on the PATH";
  store::DeviceRow gone = Device("d/cpu:0", "zen4");
  gone.live = false;
  const auto classes =
      MatchingClasses(CppJob("cores == 0 and name != 'AMD'"), {gpu, without_compiler, gone});
  ASSERT_EQ(classes.status().code(), absl::StatusCode::kFailedPrecondition);
  const auto diagnostic = DiagnosticOf(classes.status());
  ASSERT_TRUE(diagnostic.has_value());
  EXPECT_EQ(diagnostic->path, "devices");
  EXPECT_EQ(diagnostic->message,
            "no device matches\n"
            "  b/cuda:0 (Test CPU): cannot compile cpp\n"
            "  c/cpu:0 (Test CPU): cannot compile cpp: no C++ compiler on the PATH\n"
            "  d/cpu:0 (Test CPU): not connected");
  EXPECT_EQ(diagnostic->hint, "");
}

TEST(MatchingClasses, ADeviceThatWasSeenLatelyIsExpectedBackUnlessAnotherIsThere) {
  store::DeviceRow away = Device("a/cpu:0", "zen4");
  away.live = false;
  away.last_seen = absl::FromUnixSeconds(100);
  const absl::Time lately = absl::FromUnixSeconds(90);
  EXPECT_THAT(Names(MatchingClasses(CppJob("backend == 'cpu'"), {away}, lately)),
              testing::ElementsAre("zen4"));
  EXPECT_FALSE(MatchingClasses(CppJob("backend == 'cpu'"), {away}, lately + absl::Minutes(1)).ok());
  EXPECT_THAT(
      Names(MatchingClasses(CppJob("backend == 'cpu'"), {away, Device("b/cpu:0", "zen5")}, lately)),
      testing::ElementsAre("zen5"));
}

TEST(MatchingClasses, LeavesOutAgentsThatIsolateLessThanTheJobDemands) {
  spec::JobSpec job = CppJob("'namespace' in isolation");
  job.isolation = spec::IsolationLevel::kNamespace;
  store::DeviceRow weak = Device("a/cpu:0", "zen4");
  weak.device.info.isolation = "process: seccomp, rlimits";
  const auto refused = MatchingClasses(job, {weak, Device("b/cpu:0", "m1")});
  EXPECT_EQ(DiagnosticOf(refused.status())->message,
            "no device matches\n"
            "  a/cpu:0 (Test CPU): its isolation is 'process'; measure.isolation demands "
            "'namespace'\n"
            "  b/cpu:0 (Test CPU): its isolation is 'none'; measure.isolation demands 'namespace'");
  store::DeviceRow strong = Device("c/cpu:0", "m2");
  strong.device.info.isolation = "full: namespaces, seccomp";
  EXPECT_THAT(Names(MatchingClasses(job, {weak, strong})), testing::ElementsAre("m2"));
}

TEST(MatchingClasses, SaysWhatTheSelectorRefuses) {
  const auto classes = MatchingClasses(CppJob("backend == 'cuda'"), {Device("a/cpu:0", "zen4")});
  EXPECT_THAT(std::string(classes.status().message()),
              testing::HasSubstr("a/cpu:0 (Test CPU): the selector `backend == 'cuda'` says no"));
}

TEST(MatchingClasses, ReportsASelectorThatCannotBeEvaluated) {
  const auto classes = MatchingClasses(CppJob("1 / cores > 0"), {Device("a/cpu:0", "zen4")});
  EXPECT_THAT(std::string(classes.status().message()), testing::HasSubstr("the selector fails: "));
}

TEST(MatchingClasses, LeavesOutADeviceThatCanDoNothingNow) {
  store::DeviceRow broken = Device("a/cpu:0", "zen4");
  broken.device.info.unavailable_reason = "its canary fails";
  const auto classes = MatchingClasses(CppJob(), {broken});
  EXPECT_THAT(std::string(classes.status().message()), testing::HasSubstr(": its canary fails"));
}

TEST(MatchingClasses, TellsHowToConnectADeviceWhenThereIsNone) {
  const auto none = DiagnosticOf(MatchingClasses(CppJob(), {}).status());
  ASSERT_TRUE(none.has_value());
  EXPECT_EQ(none->message, "no device is connected");
  EXPECT_THAT(none->hint, testing::HasSubstr("start burnish-agent --server"));

  store::DeviceRow gone = Device("a/cpu:0", "zen4");
  gone.live = false;
  const auto all_gone = DiagnosticOf(MatchingClasses(CppJob(), {gone}).status());
  ASSERT_TRUE(all_gone.has_value());
  EXPECT_THAT(all_gone->hint, testing::HasSubstr("start burnish-agent --server"));
}

}  // namespace
}  // namespace burnish::jobs
