// What every backend has to do; a backend in the registry is tested by being there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "agent/backends/registry.h"
#include "common/base/check.h"
#include "common/base/file.h"
#include "common/base/random.h"

namespace burnish::backends {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// A cache file of Kernel Tuner.
std::string RecordsFile(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/" + name;
  CHECK_OK(WriteFileAtomically(path, R"({"device_name": "A100", "kernel_name": "bowl",
      "tune_params_keys": ["A", "B"], "tune_params": {"A": [1, 2], "B": ["x", "y"]}, "cache": {
      "1,x": {"A": 1, "B": "x", "time": 2.0, "times": [1.0, 2.0, 3.0], "compile_time": 1500},
      "2,x": {"A": 2, "B": "x", "time": 5.0},
      "1,y": {"A": 1, "B": "y", "time": "CompilationFailedConfig"}}})",
                               false));
  return path;
}

// Before main(), which asks the registry for names.
const bool kReplayHasRecords = [] {
  SetReplayOptions({.records = {RecordsFile("burnish_backends_test.json")}});
  return true;
}();

space::Configuration Settings(int64_t a, const std::string& b) {
  return {{"A", expr::Value(a)}, {"B", expr::Value(b)}};
}

std::vector<int64_t> Nanoseconds(const std::vector<work::Sample>& samples) {
  std::vector<int64_t> nanoseconds;
  for (const work::Sample& sample : samples) nanoseconds.push_back(sample.total_ns);
  return nanoseconds;
}

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

TEST(ReplayBackendTest, ADeviceIsCalledAsInTheFileAndSaysThatItReplays) {
  const std::string path = RecordsFile("bowl-A100.json");
  const auto devices = MakeReplayBackend({.records = {path, path}})->Devices();
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].name, "A100");
  EXPECT_EQ(devices[0].device_class, "A100 (replayed)");
  EXPECT_EQ(devices[1].index, 1);
  EXPECT_NE(devices[1].exclusion_group, devices[0].exclusion_group);
  EXPECT_THAT(devices[0].languages, ElementsAre("replay"));
  EXPECT_THAT(devices[0].labels, ElementsAre(Pair("kernel", "bowl"), Pair("records", "bowl-A100")));
  EXPECT_THAT(devices[0].environment, ElementsAre(Pair("replay", path)));
}

TEST(ReplayBackendTest, MeasuresWhatItsRecordsSay) {
  const std::string path = testing::TempDir() + "energy-A100.json";
  ASSERT_TRUE(WriteFileAtomically(path, R"({"device_name": "A100", "kernel_name": "bowl",
      "tune_params_keys": ["A", "B"], "cache": {
      "1,x": {"A": 1, "B": "x", "time": 2.0, "nvml_energy": 0.03}}})",
                                  false)
                  .ok());
  const auto backend = MakeReplayBackend({.records = {path, RecordsFile("bowl-A100.json")}});
  EXPECT_THAT(backend->Devices()[0].metrics,
              ElementsAre(spec::Metric::kLatency, spec::Metric::kThroughput, spec::Metric::kEnergy,
                          spec::Metric::kPower));
  EXPECT_THAT(backend->Devices()[1].metrics,
              ElementsAre(spec::Metric::kLatency, spec::Metric::kThroughput));
  const work::Measurement measured = backend->answerer()->Measure(0, Settings(1, "x"), 1);
  EXPECT_EQ(measured.figures.energy_joules, 0.03);
  EXPECT_DOUBLE_EQ(*measured.figures.power_watts, 15);
}

TEST(ReplayBackendTest, AFileThatCannotBeReadIsADeviceThatSaysWhy) {
  const auto backend = MakeReplayBackend({.records = {"/nowhere/bowl.json"}});
  ASSERT_EQ(backend->Devices().size(), 1u);
  const std::string reason = backend->Devices()[0].unavailable_reason;
  EXPECT_THAT(reason, HasSubstr("/nowhere/bowl.json"));
  const work::Measurement none = backend->answerer()->Measure(0, Settings(1, "x"), 1);
  EXPECT_EQ(none.outcome, work::Outcome::kInfrastructure);
  EXPECT_EQ(none.message, reason);
}

TEST(ReplayBackendTest, AnswersWithTheRecord) {
  const auto backend = MakeReplayBackend({.records = {RecordsFile("bowl-A100.json")}});
  const Answerer& answerer = *backend->answerer();
  const work::Measurement runs = answerer.Measure(0, Settings(1, "x"), 1);
  EXPECT_EQ(runs.outcome, work::Outcome::kOk) << runs.message;
  EXPECT_THAT(Nanoseconds(runs.samples), ElementsAre(1'000'000, 2'000'000, 3'000'000));
  EXPECT_EQ(runs.latency->statistic, "mean");
  EXPECT_DOUBLE_EQ(runs.latency->seconds, 2e-3);
  EXPECT_DOUBLE_EQ(runs.latency->interval.low, 1e-3);
  EXPECT_DOUBLE_EQ(runs.latency->interval.high, 3e-3);
  EXPECT_DOUBLE_EQ(runs.compile_seconds, 1.5);
  EXPECT_FALSE(runs.correctness.verified);
  EXPECT_THAT(runs.flags, ElementsAre("replayed"));

  const work::Measurement figure = answerer.Measure(0, Settings(2, "x"), 1);
  EXPECT_THAT(Nanoseconds(figure.samples), ElementsAre(5'000'000));
  EXPECT_DOUBLE_EQ(figure.latency->seconds, 5e-3);

  const work::Measurement failed = answerer.Measure(0, Settings(1, "y"), 1);
  EXPECT_EQ(failed.outcome, work::Outcome::kCompileError);
  EXPECT_FALSE(failed.latency.has_value());
}

TEST(ReplayBackendTest, RejectsWhatTheFileDoesNotHave) {
  const auto backend = MakeReplayBackend({.records = {RecordsFile("bowl-A100.json")}});
  const Answerer& answerer = *backend->answerer();
  for (const space::Configuration& unknown :
       {Settings(2, "y"), Settings(3, "x"), space::Configuration{{"A", int64_t{1}}}}) {
    const work::Measurement rejected = answerer.Measure(0, unknown, 1);
    EXPECT_EQ(rejected.outcome, work::Outcome::kRejected);
    EXPECT_EQ(rejected.message, "bowl-A100 has no record of it");
  }
}

TEST(ReplayBackendTest, NoiseDrawsSingleRunsByTheSeed) {
  const auto backend =
      MakeReplayBackend({.records = {RecordsFile("bowl-A100.json")}, .noise = true});
  EXPECT_EQ(backend->Devices()[0].environment.count("replay_noise"), 1u);
  const Answerer& answerer = *backend->answerer();
  std::map<int64_t, int> drawn;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const work::Measurement run = answerer.Measure(0, Settings(1, "x"), seed);
    ASSERT_EQ(run.samples.size(), 1u);
    EXPECT_DOUBLE_EQ(run.latency->seconds, run.samples[0].LatencySeconds());
    EXPECT_EQ(Nanoseconds(answerer.Measure(0, Settings(1, "x"), seed).samples),
              Nanoseconds(run.samples));
    ++drawn[run.samples[0].total_ns];
  }
  EXPECT_THAT(drawn,
              ElementsAre(Pair(1'000'000, ::testing::Gt(15)), Pair(2'000'000, ::testing::Gt(15)),
                          Pair(3'000'000, ::testing::Gt(15))));
}

TEST(ReplayBackendTest, FinalistsAreComparedByTheirRecords) {
  const std::string path = RecordsFile("bowl-A100.json");
  const auto means = MakeReplayBackend({.records = {path}});
  const std::vector<space::Configuration> finalists = {Settings(1, "x"), Settings(1, "y")};
  const work::Comparison compared = means->answerer()->Compare(0, finalists, 3, 1);
  EXPECT_EQ(compared.outcome, work::Outcome::kOk) << compared.message;
  ASSERT_EQ(compared.finalists.size(), 2u);
  EXPECT_THAT(Nanoseconds(compared.finalists[0].rounds),
              ElementsAre(2'000'000, 2'000'000, 2'000'000));
  EXPECT_EQ(compared.finalists[1].outcome, work::Outcome::kCompileError);
  EXPECT_THAT(compared.finalists[1].rounds, IsEmpty());

  const auto noisy = MakeReplayBackend({.records = {path}, .noise = true});
  const work::Comparison drawn = noisy->answerer()->Compare(0, finalists, 20, 1);
  const std::vector<int64_t> rounds = Nanoseconds(drawn.finalists[0].rounds);
  EXPECT_EQ(std::set<int64_t>(rounds.begin(), rounds.end()).size(), 3u);

  const work::Comparison none = means->answerer()->Compare(0, {Settings(1, "y")}, 3, 1);
  EXPECT_EQ(none.outcome, work::Outcome::kInfrastructure);
  EXPECT_NE(none.message, "");
}

}  // namespace
}  // namespace burnish::backends
