// burnish replay, from a file to the document, and what can go wrong on the way.
#include <csignal>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"
#include "tests/e2e/jobs.h"

namespace burnish::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReplayTest : public ::testing::Test {
 protected:
  // A cache file of Kernel Tuner with 900 configurations, the best one of which takes `scale` ms.
  std::string WriteSpace(const std::string& name, double scale, const std::string& second = "B") {
    std::vector<std::string> values;
    std::vector<std::string> records;
    for (int a = 0; a < 30; ++a) {
      values.push_back(absl::StrCat(a));
      for (int b = 0; b < 30; ++b) {
        const double time = scale * (1 + 0.01 * ((a - 11) * (a - 11) + (b - 17) * (b - 17)));
        records.push_back(absl::StrCat("\"", a, ",", b, "\": {\"A\": ", a, ", \"", second,
                                       "\": ", b, ", \"time\": ", time, "}"));
      }
    }
    const std::string list = absl::StrCat("[", absl::StrJoin(values, ","), "]");
    return folder_.Write(
        name + ".json",
        absl::StrCat("{\"device_name\": \"", name, "\", \"kernel_name\": \"bowl\", ",
                     "\"problem_size\": 1, \"tune_params_keys\": [\"A\", \"", second,
                     "\"], \"tune_params\": {\"A\": ", list, ", \"", second, "\": ", list,
                     "}, \"objective\": \"time\", \"cache\": {", absl::StrJoin(records, ","),
                     "}}"));
  }

  TemporaryFolder folder_;
};

TEST_F(ReplayTest, StrategiesAreComparedWithoutADevice) {
  const std::string first = WriteSpace("first", 2);
  const std::string second = WriteSpace("second", 3);
  const std::vector<std::string> command = {
      "replay",  "--records", first,      second,    "--strategy", "random,local",
      "--seeds", "5",         "--budget", "100",     "--history",  first,
      second,    "--pending", "4",        "--noise", "--json"};
  const CommandResult replayed = Burnish(command);
  ASSERT_EQ(replayed.exit_code, 0) << replayed.err;
  const nlohmann::json document = replayed.Json();
  ASSERT_EQ(document["spaces"].size(), 2u);
  EXPECT_EQ(document["spaces"][0]["name"], "first");
  EXPECT_DOUBLE_EQ(document["spaces"][0]["optimum"], 2e-3);
  EXPECT_EQ(document["spaces"][0]["history"], nlohmann::json({"second"}));
  const nlohmann::json& local = document["mean"][1];
  EXPECT_EQ(local["strategy"], "local");
  EXPECT_GT(local["fraction_at"]["100"], 0.8);
  EXPECT_EQ(local["fraction_at"].size(), 3u);
  EXPECT_EQ(document["warnings"].size(), 4u) << document["warnings"];

  const nlohmann::json again = Burnish(command).Json();
  EXPECT_EQ(again["mean"], document["mean"]);
}

TEST_F(ReplayTest, TheCurvesAreDrawnOnce) {
  const std::string svg = folder_.path() + "/curves.svg";
  const std::vector<std::string> command = {
      "replay", "--records", WriteSpace("first", 2), "--budget", "30", "--svg", svg};
  const CommandResult drawn = Burnish(command);
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_THAT(drawn.out, HasSubstr("curves.svg: the curves"));
  EXPECT_TRUE(std::filesystem::exists(svg));
  EXPECT_EQ(Burnish(command).exit_code, 2);
}

TEST_F(ReplayTest, MistakesAreNamedWithAHint) {
  const std::string space = WriteSpace("first", 2);
  const auto refused = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "replay");
    const CommandResult result = Burnish(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, HasSubstr("hint:"));
    return result.err;
  };
  EXPECT_THAT(refused({"--records", space, "--strategy", "locl"}),
              HasSubstr("did you mean 'local'?"));
  EXPECT_THAT(refused({"--records", folder_.path() + "/nowhere.json"}), HasSubstr("nowhere.json"));
  EXPECT_THAT(refused({"--records", folder_.Write("text", "hello")}), HasSubstr("/text:1"));
  EXPECT_THAT(refused({"--records", folder_.Write("none.json", "")}), HasSubstr("empty"));
  EXPECT_THAT(refused({"--records", space, "--history", space}),
              HasSubstr("first is no history of itself"));
  EXPECT_THAT(refused({"--records", space, "--history", WriteSpace("other", 2, "C")}),
              HasSubstr("other says nothing of first: it has no parameter 'B'"));
  EXPECT_THAT(refused({"--records", space, "--seeds", "0"}), HasSubstr("--seeds"));
}

TEST_F(ReplayTest, CtrlCEndsIt) {
  const std::string log = folder_.path() + "/replay.log";
  Program replay("burnish",
                 {"replay", "--records", WriteSpace("first", 2), "--strategy", "genetic",
                  "--budget", "900", "--seeds", "50000"},
                 log);
  ASSERT_TRUE(replay.WaitForLine("replay done=", absl::Seconds(60)).has_value()) << replay.Log();
  replay.Signal(SIGINT);
  const auto ended = replay.Wait(absl::Seconds(10));
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->code, 5) << replay.Log();
}

}  // namespace
}  // namespace burnish::e2e
