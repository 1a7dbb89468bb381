// Records of earlier tasks, and imported ones, warm a search: two devices that answer from files.
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"

namespace burnish::e2e {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr int kSide = 9;

// Of a bowl over A, B = 0 ... 8 that is lowest near (6, 3 + shift).
double BowlMs(int a, int b, int shift) {
  const int of_a = a - 6;
  const int of_b = b - 3 - shift;
  return 2 + 0.1 * (of_a * of_a + 0.7 * of_b * of_b) + 0.001 * a;
}

std::string T4(const std::string& device, int shift) {
  std::vector<std::string> results;
  for (int a = 0; a < kSide; ++a) {
    for (int b = 0; b < kSide; ++b) {
      const bool valid = a + b < 2 * kSide - 3;
      results.push_back(absl::StrCat(R"({"configuration": {"A": )", a, R"(, "B": )", b,
                                     R"(}, "times": {"runtimes": [)", BowlMs(a, b, shift),
                                     R"(]}, "invalidity": ")", valid ? "correct" : "runtime",
                                     R"(", "objectives": ["time"], "measurements": []})"));
    }
  }
  return absl::StrCat(R"({"schema_version": "1.0.0", "metadata": {"timeunit": "milliseconds", )",
                      R"("device_name": ")", device, R"("}, "results": [)",
                      absl::StrJoin(results, ","), "]}");
}

class HistoryTest : public ::testing::Test {
 protected:
  HistoryTest() {
    farm_.StartServer();
    StartAgent();
  }

  void StartAgent() {
    farm_.StartAgent(
        {"--backend", "replay", "--replay-records", bowl_a_, "--replay-records", bowl_b_});
    EXPECT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();
  }

  // Of the bowl on the device that answers from bowl-a or bowl-b.
  std::string Job(const std::string& device, const std::string& strategy,
                  const std::string& parameter = "A") {
    std::vector<std::string> values;
    for (int i = 0; i < kSide; ++i) values.push_back(absl::StrCat(i));
    const std::string domain = absl::StrJoin(values, ", ");
    return folder_.Write(
        absl::StrCat(device, "-", ++jobs_, ".yaml"),
        absl::StrCat("name: bowl\nkernel:\n  language: replay\n  parameters:\n    ", parameter,
                     ": [", domain, "]\n    B: [", domain,
                     "]\n  reference: none\ndevices: \"label.records == 'bowl-", device,
                     "'\"\nbudget: {trials: 100, patience: 100}\nstrategy: ", strategy, "\n"));
  }

  CommandResult Run(std::vector<std::string> arguments, const std::string& team = "default") {
    arguments.insert(arguments.end(), {"--server", farm_.address(), "--json", "--namespace", team});
    return Burnish(arguments);
  }
  std::string Submit(const std::string& job, const std::string& team = "default") {
    return Run({"submit", job}, team).Json()["job_id"];
  }
  json Task(const std::string& id, const std::string& team = "default") {
    return Run({"show", id}, team).Json()["tasks"][0];
  }
  json Wait(const std::string& id, const std::string& team = "default") {
    Run({"wait", id}, team);
    const json task = Task(id, team);
    EXPECT_EQ(task["state"], "done") << task;
    return task;
  }
  // By number of trial.
  std::map<int, json> Tried(const std::string& id, const std::string& team) {
    std::map<int, json> tried;
    for (const json& record : Run({"records", id}, team).JsonLines()) {
      tried[record["trial"]] = record["configuration"];
    }
    return tried;
  }

  TemporaryFolder folder_;
  const std::string bowl_a_ = folder_.Write("bowl-a.json", T4("A100", 0));
  const std::string bowl_b_ = folder_.Write("bowl-b.json", T4("H100", 1));
  Farm farm_{folder_};
  int jobs_ = 0;
};

TEST_F(HistoryTest, OfOneDeviceWarmsTheSearchOnAnotherAlsoAfterARestart) {
  const std::string on_a = Job("a", "exhaustive");
  const std::string on_b = Job("b", "{name: auto, seed: 5}");
  for (const std::string team : {"whole", "pieces"}) {
    EXPECT_EQ(Wait(Submit(on_a, team), team)["history"], json::array());
  }
  const json expected = {{{"source", "bowl on A100 (replayed)"}, {"records", kSide * kSide}}};
  const std::string whole = Submit(on_b, "whole");
  const json task = Wait(whole, "whole");
  EXPECT_EQ(task["history"], expected);

  const std::string pieces = Submit(on_b, "pieces");
  farm_.server().KillHard();
  farm_.StartServer();
  EXPECT_EQ(Wait(pieces, "pieces")["history"], expected);

  const auto tried = Tried(whole, "whole");
  const auto tried_again = Tried(pieces, "pieces");
  ASSERT_GE(tried.size(), 8u);
  ASSERT_EQ(tried.size(), tried_again.size());
  for (int trial = 0; trial < 8; ++trial) {  // proposed before anything was observed
    EXPECT_EQ(tried.at(trial), tried_again.at(trial)) << trial;
  }

  const std::string without = Submit(Job("b", "{name: auto, seed: 5, history: false}"), "whole");
  EXPECT_EQ(Wait(without, "whole")["history"], json::array());
  const auto tried_without = Tried(without, "whole");
  int same = 0;
  for (int trial = 1; trial < 8; ++trial) same += tried.at(trial) == tried_without.at(trial);
  EXPECT_LT(same, 7);
}

TEST_F(HistoryTest, RecordsOfAFileAreImportedListedUsedAndRemoved) {
  const std::string job = Job("b", "auto");
  const json imported = Run({"import", bowl_a_, "--job", job}).Json()["imports"][0];
  EXPECT_EQ(imported["records"], kSide * kSide) << imported;
  EXPECT_EQ(imported["failed"], 3);
  EXPECT_EQ(imported["device_class"], "A100");
  EXPECT_EQ(imported["replaced"], 0);
  EXPECT_EQ(Run({"import", bowl_a_, "--job", job}).Json()["imports"][0]["replaced"], kSide * kSide);

  const json listed = Run({"import", "--list"}).Json()["imports"];
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0]["file"], "bowl-a.json");
  EXPECT_EQ(Run({"import", "--list"}, "others").Json()["imports"], json::array());

  const std::string tuned = Submit(job);
  EXPECT_EQ(Wait(tuned)["history"],
            json({{{"source", "imported bowl-a.json on A100"}, {"records", kSide * kSide}}}));
  const CommandResult shown = Burnish({"show", tuned, "--server", farm_.address()});
  EXPECT_THAT(shown.out, HasSubstr("history   81 records of imported bowl-a.json on A100"));

  EXPECT_EQ(Run({"import", "--remove", listed[0]["import_id"]}).exit_code, 0);
  EXPECT_EQ(Run({"import", "--list"}).Json()["imports"], json::array());
  EXPECT_EQ(Run({"import", "--remove", "i99"}).exit_code, 2);
}

TEST_F(HistoryTest, AnImportThatDoesNotFitIsRefusedWithItsPlace) {
  const std::string job = Job("b", "auto");
  const auto message = [&](const std::vector<std::string>& arguments) {
    const CommandResult result = Run(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
    EXPECT_EQ(result.out, "");
    const json error = json::parse(result.err, nullptr, false);
    return absl::StrCat(error.value("message", result.err), "; ", error.value("hint", ""));
  };
  EXPECT_THAT(message({"import", bowl_a_, "--job", Job("b", "auto", "AA")}),
              HasSubstr("bowl-a.json: the job's parameter 'AA' is not in this file's records"));
  EXPECT_THAT(message({"import", bowl_a_, "--job", folder_.path() + "/nowhere.yaml"}),
              HasSubstr("nowhere.yaml"));
  const std::string broken = folder_.Write("broken.json", R"({"results": [{"times": 3}]})");
  EXPECT_THAT(message({"import", bowl_a_, broken, "--job", job}),
              HasSubstr("broken.json: results[0]"));
  EXPECT_EQ(Run({"import", "--list"}).Json()["imports"], json::array())
      << "nothing is stored before all files are read";
  const std::string database = folder_.Write("database.json", R"({"sections": []})");
  EXPECT_THAT(message({"import", database, "--job", job}),
              HasSubstr("in no known format of measurements; known: T4, "));
  const std::string nameless = folder_.Write("nameless.json", T4("", 0));
  EXPECT_THAT(message({"import", nameless, "--job", job}),
              HasSubstr("does not say on which device it was measured; name it with "));
  EXPECT_EQ(Run({"import", nameless, "--job", job, "--device-class", "mine"})
                .Json()["imports"][0]["device_class"],
            "mine");
}

}  // namespace
}  // namespace burnish::e2e
