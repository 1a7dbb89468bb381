// The verbs of the command line against a server over TCP: what people do to jobs, and what they
// take away from them.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"
#include "tests/e2e/jobs.h"

namespace burnish::e2e {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class VerbsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    farm_.StartServer();
    ASSERT_FALSE(HasFatalFailure());
    farm_.StartAgent();
    ASSERT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();
  }

  CommandResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--server", farm_.address()});
    return Burnish(arguments);
  }

  std::string Submit(const SmallJob& job) {
    const CommandResult submitted = Run({"submit", WriteSmallJob(folder_, job), "--json"});
    EXPECT_EQ(submitted.exit_code, 0) << submitted.err;
    return submitted.Json()["job_id"];
  }

  // Many candidates of 100 ms each: it runs until it is told to end.
  std::string SubmitLong() {
    return Submit({.trials = 1000, .modes = 250, .body = kSlow, .extra_yaml = kOneSample});
  }

  std::string StateOf(const std::string& job) {
    return Run({"best", job, "--json"}).Json()["state"];
  }

  std::string PathOf(const std::string& name) const { return folder_.path() + "/" + name; }

  static constexpr char kSlow[] =
      "  volatile int spin = 0;\n  while (spin < 30000000) spin = spin + 1;\n";
  static constexpr char kOneSample[] = "measure: {number: 1, repeat: 1, warmup: 0}\n";

  TemporaryFolder folder_;
  Farm farm_{folder_};
};

std::string Slurp(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST_F(VerbsTest, AJobIsPausedResumedAndFinished) {
  const std::string job = SubmitLong();
  const CommandResult paused = Run({"pause", "@"});
  ASSERT_EQ(paused.exit_code, 0) << paused.err;
  EXPECT_EQ(paused.out, job + " paused\n");
  EXPECT_THAT(paused.err, HasSubstr(absl::StrCat(farm_.address(), " · namespace default")));
  EXPECT_EQ(Run({"pause", job}).exit_code, 0) << "again";

  const CommandResult waited = Run({"wait", job, "--timeout", "0.5"});
  EXPECT_EQ(waited.exit_code, 6);
  EXPECT_THAT(waited.err, HasSubstr(job + " has not ended: paused"));

  EXPECT_EQ(Run({"finish", job}).exit_code, 1) << "a paused job has to be resumed first";
  EXPECT_EQ(Run({"resume", job}).exit_code, 0);
  EXPECT_EQ(Run({"resume", "scale"}).exit_code, 0) << "again, by its name";
  ASSERT_TRUE(WaitUntil(
      [&] {
        return Run({"best", job, "--json"}).Json()["tasks"][0]["valid"] > 0;
      },
      absl::Seconds(60)));
  const CommandResult finished = Run({"finish", job, "--json"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(finished.Json()["jobs"][0]["job_id"], job);
  const CommandResult ended = Run({"wait", job, "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.Json()["state"], "done");

  const CommandResult late = Run({"cancel", job, "--json"});
  EXPECT_EQ(late.exit_code, 1);
  EXPECT_EQ(late.out, "");
  EXPECT_THAT(nlohmann::json::parse(late.err)["message"].get<std::string>(),
              HasSubstr("it is done"));
}

TEST_F(VerbsTest, ACancelledJobEndsAtOnceAndMakesRoomForTheNext) {
  const std::string job = SubmitLong();
  ASSERT_TRUE(WaitUntil(
      [&] {
        return Run({"best", job, "--json"}).Json()["tasks"][0]["trials"] > 0;
      },
      absl::Seconds(60)));
  EXPECT_EQ(Run({"cancel", "--all"}).exit_code, 2) << "no terminal to ask at";
  EXPECT_EQ(StateOf(job), "running");
  EXPECT_EQ(Run({"cancel", job, "-q"}).err, "");
  EXPECT_EQ(StateOf(job), "cancelled");
  EXPECT_EQ(Run({"wait", job}).exit_code, 1);
  EXPECT_EQ(Run({"tune", WriteSmallJob(folder_, {.trials = 3})}).exit_code, 0);
  SubmitLong();
  SubmitLong();
  const CommandResult all = Run({"cancel", "--all", "--yes", "--json"});
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_EQ(all.Json()["jobs"].size(), 2u);
}

TEST_F(VerbsTest, WhatWasMeasuredIsExportedComparedAndFiltered) {
  const std::string job = Submit({.trials = 8});
  ASSERT_EQ(Run({"wait", job}).exit_code, 0);
  const std::string json = PathOf("before.json");
  ASSERT_EQ(Run({"export", job, "--format", "json", "-o", json, "--samples"}).exit_code, 0);
  const auto document = nlohmann::json::parse(Slurp(json));
  EXPECT_EQ(document["schema"], "burnish.records/1");
  ASSERT_EQ(document["records"].size(), 8u);
  EXPECT_FALSE(document["records"][0]["samples"].empty());
  EXPECT_EQ(document["environments"].size(), 1u);
  EXPECT_EQ(Run({"export", job, "--format", "json", "-o", json}).exit_code, 2) << "it exists";

  const CommandResult csv = Run({"export", job, "--format", "csv"});
  ASSERT_EQ(csv.exit_code, 0) << csv.err;
  const std::vector<std::string> lines = absl::StrSplit(csv.out, '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_THAT(lines[0], StartsWith("task_id,trial,outcome,latency_seconds,"));
  EXPECT_THAT(lines[0], HasSubstr(",UNROLL,MODE,"));

  const CommandResult t4 = Run({"export", job, "--format", "t4"});
  ASSERT_EQ(t4.exit_code, 0) << t4.err;
  EXPECT_EQ(t4.Json()["results"].size(), 8u);
  const CommandResult cache = Run({"export", job, "--format", "cache", "--task", job + ".1"});
  ASSERT_EQ(cache.exit_code, 0) << cache.err;
  EXPECT_EQ(cache.Json()["cache"].size(), 8u);

  const auto fastest =
      Run({"records", job, "--json", "--sort", "latency", "--limit", "2"}).JsonLines();
  ASSERT_EQ(fastest.size(), 2u);
  EXPECT_LE(fastest[0]["metrics"]["latency_seconds"], fastest[1]["metrics"]["latency_seconds"]);
  EXPECT_GT(fastest[0]["control_seconds"], 0.0) << "the control kernel ran when the agent started";
  EXPECT_EQ(fastest[0]["sample_count"], fastest[0]["samples"].size());
  EXPECT_EQ(Run({"records", job, "--filter", "UNROL == 1"}).exit_code, 2);

  const CommandResult diff = Run({"diff", json, job, "--fail-above", "3%", "--json"});
  EXPECT_EQ(diff.exit_code, 0) << diff.err;
  EXPECT_EQ(diff.Json()["tasks"][0]["best"]["ratio"], 1.0);
  EXPECT_EQ(diff.Json()["tasks"][0]["shared"]["configurations"], 8);
}

TEST_F(VerbsTest, TheFleetIsListed) {
  const auto devices = Run({"devices", "--json"}).Json()["devices"];
  ASSERT_EQ(devices.size(), 1u);
  for (const char* key :
       {"device_id", "agent_id", "backend", "name", "device_class", "state", "reason"}) {
    EXPECT_TRUE(devices[0].contains(key)) << key;
  }
  EXPECT_EQ(devices[0]["state"], "ready");
  EXPECT_EQ(Run({"devices", "--filter", "state == 'lost'", "-o", "name"}).out, "");
  EXPECT_THAT(Run({"top"}).out, HasSubstr(devices[0]["device_id"].get<std::string>()));
}

TEST_F(VerbsTest, TheRooflineOfADeviceShowsWhatWasMeasuredOnIt) {
  const std::string device = Run({"devices", "--json"}).Json()["devices"][0]["device_id"];
  ASSERT_EQ(Run({"tune", WriteSmallJob(folder_, {.trials = 4, .work = "{flops: n, bytes: 8 * n}"})})
                .exit_code,
            0);
  // It was measured before the first attempt; its report went out before theirs.
  const CommandResult shown = Run({"roofline", device, "--json"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err << farm_.agent().Log();
  const nlohmann::json document = shown.Json();
  double f32 = 0;
  std::map<std::string, double> bytes_per_second;
  for (const auto& peak : document["peaks"]) {
    if (peak["dtype"] == "f32") f32 = peak["operations_per_second"];
  }
  for (const auto& bandwidth : document["bandwidths"]) {
    if (bandwidth["threads"] == 1) {
      bytes_per_second[bandwidth["level"]] = bandwidth["bytes_per_second"];
    }
  }
  EXPECT_GT(f32, 1e8);
  EXPECT_GT(bytes_per_second["memory"], 1e7);
  if (bytes_per_second.contains("L1")) {
    EXPECT_GE(bytes_per_second["L1"], bytes_per_second["memory"]);
  }
  ASSERT_EQ(document["points"].size(), 1u);
  EXPECT_EQ(document["points"][0]["operations_per_byte"], 0.125);
  const double share = document["points"][0]["roof_share"];
  EXPECT_GT(share, 0);
  EXPECT_EQ(Run({"best", "@", "--json"}).Json()["tasks"][0]["best"]["roof_share"], share);
  EXPECT_GT(Run({"records", "@", "--json"}).JsonLines()[0]["metrics"]["roof_share"], 0.0);

  EXPECT_THAT(Run({"roofline", device}).out, HasSubstr("A  scale"));
  const std::string svg = PathOf("roofline.svg");
  EXPECT_EQ(Run({"roofline", device, "--svg", svg}).exit_code, 0);
  EXPECT_THAT(Slurp(svg), HasSubstr("<title>scale (j1.1)"));
  EXPECT_EQ(Run({"roofline", device, "--svg", svg}).exit_code, 2) << "it exists";
  EXPECT_EQ(Run({"roofline", device, "--svg", "/proc/nowhere/a.svg"}).out, "");
  const CommandResult unknown = Run({"roofline", device + "0"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean '" + device + "'?"));
}

TEST_F(VerbsTest, WatchStreamsEventsUpToTheEnd) {
  const std::string job = Submit({.trials = 4});
  const auto events = Run({"watch", job, "--jsonl"}).JsonLines();
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.front()["schema"], "burnish.event/1");
  EXPECT_EQ(events.back()["state"], "done");
}

TEST_F(VerbsTest, AContextStandsForTheServer) {
  const std::vector<std::string> environment = {
      absl::StrCat("BURNISH_CONFIG_DIR=", folder_.path(), "/config"), "BURNISH_COLOR=never"};
  const auto run = [&](const std::vector<std::string>& arguments) {
    return Burnish(arguments, environment);
  };
  ASSERT_EQ(run({"context", "add", "lab", "--server", farm_.address(), "--namespace", "vision"})
                .exit_code,
            0);
  EXPECT_EQ(fs::status(folder_.path() + "/config/config.yaml").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_EQ(run({"context", "use", "lab"}).exit_code, 0);
  const auto shown = run({"context", "show", "--json"}).Json();
  EXPECT_EQ(shown["server"], farm_.address());
  EXPECT_EQ(shown["namespace"], "vision");
  const CommandResult submitted = run({"submit", WriteSmallJob(folder_, {.trials = 2}), "--json"});
  ASSERT_EQ(submitted.exit_code, 0) << submitted.err;
  EXPECT_EQ(run({"wait", "@"}).exit_code, 0);
  EXPECT_EQ(Run({"show", "@"}).exit_code, 2) << "another namespace";

  EXPECT_EQ(run({"__complete", "show", ""}).out, "j1\n");
  EXPECT_EQ(run({"__complete", "context", "use", ""}).out, "local\nlab\n");
  EXPECT_EQ(run({"context", "remove", "lab"}).exit_code, 0);
  EXPECT_EQ(run({"context", "show", "--json"}).Json()["server"], nullptr);
}

TEST_F(VerbsTest, ATokenNeverLeavesTheMachineInPlainText) {
  const CommandResult refused =
      Burnish({"list", "--server", "192.0.2.1:7400", "--insecure"}, {"BURNISH_TOKEN=secret"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("the token from BURNISH_TOKEN"));
  EXPECT_THAT(refused.err, ::testing::Not(HasSubstr("secret")));
  EXPECT_EQ(Burnish({"list", "--server", farm_.address()}, {"BURNISH_TOKEN=secret"}).exit_code, 0);
}

TEST_F(VerbsTest, WhatInitWritesIsTuned) {
  const std::string kernel = folder_.Write("vadd.cc", R"(#ifndef BLOCK
#define BLOCK 8
#endif
extern "C" void vadd(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n; i += BLOCK) {
    for (int j = i; j < i + BLOCK && j < n; ++j) c[j] = a[j] + b[j];
  }
}
)");
  const std::string job = PathOf("vadd.yaml");
  ASSERT_EQ(Run({"init", "--kernel", kernel, "-o", job}).exit_code, 0);
  EXPECT_EQ(Run({"init", "--kernel", kernel, "-o", job}).exit_code, 2) << "it exists";
  EXPECT_EQ(Run({"validate", job}).exit_code, 0);
  const CommandResult tuned = Run({"tune", job, "--json"});
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_EQ(tuned.Json()["tasks"][0]["outcomes"]["ok"], 4);
}

TEST(Retention, AJobIsGoneSomeTimeAfterItsEnd) {
  const TemporaryFolder folder;
  Farm farm(folder);
  farm.StartServer({"--keep-jobs", "0.001", "--retention-interval", "0.1"});
  farm.StartAgent();
  ASSERT_TRUE(farm.WaitForDevice());
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--server", farm.address()});
    return Burnish(arguments);
  };
  ASSERT_EQ(run({"submit", WriteSmallJob(folder, {.trials = 2})}).exit_code, 0);
  ASSERT_TRUE(WaitUntil(
      [&] {
        return run({"list", "--json"}).Json()["jobs"].empty();
      },
      absl::Seconds(60)));
  const CommandResult gone = run({"show", "j1"});
  EXPECT_EQ(gone.exit_code, 2);
  EXPECT_THAT(gone.err, HasSubstr("there is no job 'j1'"));
  EXPECT_THAT(gone.err, HasSubstr("--keep-jobs"));
  EXPECT_TRUE(farm.server().WaitForLine("\"removed\":\"jobs\"", absl::Seconds(5)).has_value())
      << farm.server().Log();
}

}  // namespace
}  // namespace burnish::e2e
