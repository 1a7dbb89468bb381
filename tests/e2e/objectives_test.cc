// Several objectives through the whole service: a device that replays times and energies, and the
// CPU, which measures memory.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"
#include "tests/e2e/jobs.h"

namespace burnish::e2e {
namespace {

using ::testing::HasSubstr;

// A runs from 0 to 7 and B from 0 to 3; a higher clock (A) takes less time and more energy, B only
// costs. With B = 0 the time is 8 - A ms and the energy 10 + A² mJ; (5, 0) failed.
double TimeMs(int a, int b) { return 8 - a + 0.5 * b; }
double EnergyMj(int a, int b) { return 10 + a * a + b; }

class ObjectivesTest : public ::testing::Test {
 protected:
  std::string WriteRecords() {
    std::vector<std::string> rows;
    for (int a = 0; a < 8; ++a) {
      for (int b = 0; b < 4; ++b) {
        const std::string configuration =
            absl::StrCat(R"({"configuration": {"A": )", a, R"(, "B": )", b, "}, ");
        if (a == 5 && b == 0) {
          rows.push_back(absl::StrCat(configuration, R"("invalidity": "compile"})"));
          continue;
        }
        rows.push_back(absl::StrCat(configuration, R"("invalidity": "correct", "measurements": [)",
                                    R"({"name": "time", "unit": "ms", "value": )", TimeMs(a, b),
                                    "}, ", R"({"name": "energy", "unit": "mJ", "value": )",
                                    EnergyMj(a, b), "}]}"));
      }
    }
    return folder_.Write("clocks-A100.t4.json",
                         absl::StrCat(R"({"schema_version": "1.0.0", "metadata": )",
                                      R"({"timeunit": "milliseconds", "device_name": "A100"},)",
                                      R"("results": [)", absl::StrJoin(rows, ","), "]}"));
  }

  std::string WriteReplayJob(const std::string& tail) {
    return folder_.Write("job.yaml", absl::StrCat(R"(name: clocks
kernel:
  language: replay
  parameters: {A: [0, 1, 2, 3, 4, 5, 6, 7], B: [0, 1, 2, 3]}
  default: {A: 0, B: 3}
  reference: none
devices: {backend: replay}
budget: {trials: 32}
strategy: exhaustive
)",
                                                  tail, "\n"));
  }

  void Start(std::vector<std::string> agent = {}) {
    farm_.StartServer();
    farm_.StartAgent(std::move(agent));
    ASSERT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();
  }

  CommandResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--server", farm_.address()});
    return Burnish(arguments);
  }

  // The task of the job once it has ended.
  nlohmann::json TaskOf(const std::string& job, std::string& id) {
    id = Run({"submit", job, "--json"}).Json()["job_id"];
    Run({"wait", id});
    return Run({"show", id, "--json"}).Json()["tasks"][0];
  }

  TemporaryFolder folder_;
  Farm farm_{folder_};
};

void Edit(const std::string& path, const std::vector<std::pair<std::string, std::string>>& edits) {
  std::string text = ReadFile(path, 1 << 20).value();
  for (const auto& [from, to] : edits) text.replace(text.find(from), from.size(), to);
  ASSERT_TRUE(WriteFileAtomically(path, text, /*durable=*/false).ok());
}

std::vector<int> ValuesOfA(const nlohmann::json& front) {
  std::vector<int> values;
  for (const nlohmann::json& point : front) values.push_back(point["configuration"]["A"]);
  return values;
}

TEST_F(ObjectivesTest, AReplayedJobHasTheKnownFront) {
  Start({"--backend", "replay", "--replay-records", WriteRecords()});
  EXPECT_EQ(Run({"devices", "--json"}).Json()["devices"][0]["metrics"],
            nlohmann::json({"latency", "throughput", "energy", "power"}));
  std::string id;
  const nlohmann::json task =
      TaskOf(WriteReplayJob("objectives: [latency, energy]\nlimits: [\"energy <= 0.05\"]"), id);
  EXPECT_EQ(task["state"], "done") << task;
  // With A = 7 it takes 59 mJ. In place of (5, 0), which failed, stands (5, 1).
  EXPECT_EQ(ValuesOfA(task["front"]), (std::vector<int>{6, 5, 4, 3, 2, 1, 0})) << task["front"];
  for (const nlohmann::json& point : task["front"]) {
    const int a = point["configuration"]["A"];
    const int b = a == 5 ? 1 : 0;
    EXPECT_EQ(point["configuration"]["B"], b);
    EXPECT_NEAR(point["metrics"]["latency_seconds"], TimeMs(a, b) * 1e-3, 1e-9);
    EXPECT_NEAR(point["metrics"]["energy_joules"], EnergyMj(a, b) * 1e-3, 1e-12);
    EXPECT_NEAR(point["metrics"]["power_watts"], EnergyMj(a, b) / TimeMs(a, b), 1e-6);
    EXPECT_EQ(point["knee"], point["configuration"] == task["best"]["configuration"]);
  }
  EXPECT_GT(task["hypervolume"], 0);
  EXPECT_GT(task["best"]["speedup"], 1);
}

TEST_F(ObjectivesTest, ParetoAnswersWhatIsAskedAfterwards) {
  Start({"--backend", "replay", "--replay-records", WriteRecords()});
  std::string id;
  TaskOf(WriteReplayJob("objectives: [latency, energy]"), id);
  const nlohmann::json all = Run({"pareto", id, "--json"}).Json()["tasks"][0];
  EXPECT_EQ(ValuesOfA(all["front"]), (std::vector<int>{7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(all["chosen"]["configuration"], nlohmann::json({{"A", 7}, {"B", 0}}));

  // 26 mJ in 4 ms are 6.5 W, and the next faster one would take 10.3 W.
  const CommandResult within = Run({"pareto", id, "--where", "power <= 7", "--json"});
  EXPECT_EQ(within.exit_code, 0);
  EXPECT_EQ(within.Json()["tasks"][0]["chosen"]["configuration"],
            nlohmann::json({{"A", 4}, {"B", 0}}));
  EXPECT_EQ(ValuesOfA(within.Json()["tasks"][0]["front"]), (std::vector<int>{4, 3, 2, 1, 0}));
  EXPECT_THAT(Run({"pareto", id, "--where", "power <= 7"}).out,
              HasSubstr("fastest with power <= 7  4.000 ms  26.00 mJ  6.500 W  A=4 B=0"));
  EXPECT_EQ(Run({"pareto", id, "--where", "power <= 7", "--by", "energy", "--json"})
                .Json()["tasks"][0]["chosen"]["configuration"],
            nlohmann::json({{"A", 0}, {"B", 0}}));

  const CommandResult nothing = Run({"pareto", id, "--where", "power <= 1"});
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_THAT(nothing.out, HasSubstr("no trial is within power <= 1"));
  EXPECT_EQ(Run({"pareto", id, "--where", "watts <= 1"}).exit_code, 2);

  const std::string svg = folder_.path() + "/front.svg";
  EXPECT_EQ(Run({"pareto", id, "--svg", svg}).exit_code, 0);
  EXPECT_EQ(Run({"pareto", id, "--svg", svg}).exit_code, 2) << "it exists";

  const nlohmann::json record = Run({"records", id, "--json"}).JsonLines()[0];
  EXPECT_TRUE(record["metrics"]["energy_joules"].is_number()) << record;
}

TEST_F(ObjectivesTest, OneObjectiveThatIsNotLatencyDecides) {
  Start({"--backend", "replay", "--replay-records", WriteRecords()});
  std::string id;
  const nlohmann::json task = TaskOf(WriteReplayJob("objectives: [energy]"), id);
  EXPECT_EQ(task["best"]["configuration"], nlohmann::json({{"A", 0}, {"B", 0}}));
  EXPECT_FALSE(task.contains("front"));
  EXPECT_THAT(Run({"best", id}).out, HasSubstr("10.00 mJ"));
  const CommandResult no_front = Run({"pareto", id});
  EXPECT_EQ(no_front.exit_code, 2);
  EXPECT_THAT(no_front.err, HasSubstr("has one objective, energy: there is no front"));
  EXPECT_THAT(no_front.err, HasSubstr("burnish best " + id));
}

TEST_F(ObjectivesTest, ACpuWithoutASensorMeasuresMemoryAndNoEnergy) {
  Start({"--sensor", "none"});
  SmallJob job{.trials = 4, .modes = 4, .body = R"(
  static float tile[1 + 1000 * MODE];
  for (float& one : tile) one += a[0];
  c[0] = tile[0];
)"};
  job.extra_yaml = "strategy: exhaustive\n";
  const std::string path = WriteSmallJob(folder_, job);
  Edit(path, {{"[latency]", "[latency, energy]"}, {"[1, 2, 4, 8]", "[1]"}});
  const CommandResult refused = Run({"submit", path});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(
      refused.err,
      HasSubstr("objectives[1]: no device that matches measures energy; cpu devices measure "
                "latency, throughput, sustained_latency, memory, error"));

  Edit(path, {{"energy", "memory"}});
  std::string id;
  const nlohmann::json task = TaskOf(path, id);
  EXPECT_EQ(task["state"], "done") << task;
  // Less work and less memory at once: MODE = 0 beats all others, as far as noise can tell.
  double least = 1e9;
  for (const nlohmann::json& point : task["front"]) {
    least = std::min<double>(least, point["metrics"]["memory_bytes"]);
    EXPECT_TRUE(point["verified"]);
    EXPECT_TRUE(point["metrics"]["error"].is_number());
  }
  EXPECT_LT(least, 100);
  for (const nlohmann::json& record : Run({"records", id, "--json"}).JsonLines()) {
    const double mode = record["configuration"]["MODE"];
    EXPECT_NEAR(record["metrics"]["memory_bytes"], 4 * (1 + 1000 * mode), 128);
    EXPECT_GT(record["metrics"]["code_bytes"], 0);
  }
}

// A lab's meter, as a program: 10 W whatever happens, so that energy goes with time.
TEST_F(ObjectivesTest, ACpuMeasuresEnergyByTheProgramOfAMeter) {
  const std::string meter = folder_.Write("meter.sh", "while :; do echo 10 W; sleep 0.005; done\n");
  Start({"--sensor", absl::StrCat("command:exec /bin/sh ", meter), "--energy-seconds", "0.1"});
  const nlohmann::json device = Run({"devices", "--json"}).Json()["devices"][0];
  EXPECT_THAT(device["metrics"], ::testing::IsSupersetOf({"energy", "power"})) << device;
  EXPECT_THAT(std::string(device["environment"]["sensor"]), HasSubstr("wall, instant"));

  const std::string path = WriteSmallJob(folder_, {.trials = 4, .modes = 1});
  Edit(path, {{"[latency]", "[latency, energy]"}});
  std::string id;
  const nlohmann::json task = TaskOf(path, id);
  EXPECT_EQ(task["state"], "done") << task;
  ASSERT_FALSE(task["front"].empty()) << task;
  EXPECT_GT(task["front"][0]["metrics"]["energy_joules"], 0);
  int measured = 0;
  for (const nlohmann::json& record : Run({"records", id, "--json"}).JsonLines()) {
    EXPECT_EQ(record["outcome"], "ok") << record;
    const nlohmann::json& metrics = record["metrics"];
    if (metrics["energy_joules"].is_null()) {
      EXPECT_EQ(record["flags"], nlohmann::json::array({"energy_skipped"})) << record;
      continue;
    }
    ++measured;
    EXPECT_NEAR(metrics["power_watts"], 10, 1e-6);
    // Whatever the machine does beside this: what is measured is 10 W times the time.
    EXPECT_GT(metrics["energy_joules"], 5 * double{metrics["latency_seconds"]});
    EXPECT_LT(metrics["energy_joules"], 100 * double{metrics["latency_seconds"]});
    EXPECT_NEAR(metrics["net_energy_joules"], 0, 1e-9);
  }
  EXPECT_GT(measured, 0);
  EXPECT_TRUE(farm_.agent().WaitForLine("gross_joules", absl::Seconds(10)));
}

TEST_F(ObjectivesTest, ACpuMeasuresWhatIsLeftOfTheLatencyInTheLongRun) {
  Start({"--sustained-seconds", "0.5"});
  const std::string path = WriteSmallJob(folder_, {.trials = 4, .modes = 2});
  Edit(path, {{"[latency]", "[latency, sustained_latency]"}});
  std::string id;
  const nlohmann::json task = TaskOf(path, id);
  EXPECT_EQ(task["state"], "done") << task;
  ASSERT_FALSE(task["front"].empty()) << task;
  EXPECT_GT(task["front"][0]["metrics"]["sustained_latency_seconds"], 0);
  int measured = 0;
  for (const nlohmann::json& record : Run({"records", id, "--json"}).JsonLines()) {
    EXPECT_EQ(record["outcome"], "ok") << record;
    EXPECT_THAT(record["flags"], ::testing::Not(::testing::Contains("raced")));
    const nlohmann::json& metrics = record["metrics"];
    if (metrics["sustained_latency_seconds"].is_null()) {
      EXPECT_THAT(record["flags"], ::testing::Contains("sustained_skipped")) << record;
      continue;
    }
    ++measured;
    EXPECT_GT(metrics["sustained_ratio"], 0);
  }
  EXPECT_GT(measured, 0);
}

TEST_F(ObjectivesTest, AMeterThatIsLostIsNoFaultOfTheCandidate) {
  Start({"--sensor", "command:for i in 1 2 3 4 5 6 7 8 9; do echo 10 W; sleep 0.01; done; exit 3",
         "--energy-seconds", "0.1"});
  const std::string path = WriteSmallJob(folder_, {.trials = 1, .modes = 1});
  Edit(path, {{"[latency]", "[energy]"}});
  std::string id;
  EXPECT_EQ(TaskOf(path, id)["outcomes"], nlohmann::json({{"infrastructure", 1}}));
  for (const nlohmann::json& record : Run({"records", id, "--json"}).JsonLines()) {
    EXPECT_THAT(std::string(record["message"]), HasSubstr("is lost: it ended: exit code 3"));
    EXPECT_TRUE(record["metrics"]["energy_joules"].is_null());
    EXPECT_TRUE(record["metrics"]["latency_seconds"].is_null());
  }
}

TEST_F(ObjectivesTest, ASensorThatCannotBeHadEndsTheAgent) {
  farm_.StartServer();
  farm_.StartAgent({"--sensor", "command:echo nonsense"});
  EXPECT_EQ(farm_.agent().Wait(absl::Minutes(1))->code, 2);
  EXPECT_THAT(farm_.agent().Log(), HasSubstr("it printed 'nonsense'"));
}

}  // namespace
}  // namespace burnish::e2e
