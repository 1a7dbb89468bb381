// Worker, agent and server killed with -9 at random moments at which they hold work. Whatever
// dies, the job ends, every acknowledged measurement is stored once, and the winner is the one the
// records imply.
//
// One round by default; BURNISH_KILL_ROUNDS for more, BURNISH_KILL_SEED to repeat one.
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <regex>
#include <set>

#include "SQLiteCpp/SQLiteCpp.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/environment.h"
#include "common/base/random.h"
#include "common/stats/statistics.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"
#include "tests/e2e/jobs.h"

namespace burnish::e2e {
namespace {

constexpr int kTrials = 40;

uint64_t NumberFromEnvironment(const char* name, uint64_t fallback) {
  uint64_t value = 0;
  const auto text = EnvironmentVariable(name);
  return text.has_value() && absl::SimpleAtoi(*text, &value) ? value : fallback;
}

class KillRound {
 public:
  KillRound(uint64_t seed, std::map<std::string, int>& histogram)
      : random_(seed, "kill"), histogram_(histogram) {}

  void Run() {
    farm_.StartServer();
    farm_.StartAgent();
    ASSERT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();
    const std::string job = WriteSmallJob(
        folder_, {.trials = kTrials,
                  .modes = 12,
                  .body = "  for (volatile int wait = 0; wait < 3000000; wait = wait + 1) {}\n"});
    const CommandResult submitted = Burnish({"submit", job, "--json", "--server", farm_.address()});
    ASSERT_EQ(submitted.exit_code, 0) << submitted.err;
    job_id_ = submitted.Json()["job_id"];

    KillWorker();
    KillAgent();
    KillServer();
    if (::testing::Test::HasFatalFailure()) return;
    CheckEnd();
  }

 private:
  // Stops everything that could change the answer, asks, and lets it go on if the answer is no.
  // True with `stopped` left stopped.
  bool StopWhen(const std::function<pid_t()>& victim, const std::function<bool(pid_t)>& condition,
                pid_t& stopped) {
    return WaitUntil(
        [&] {
          SleepThread(absl::Milliseconds(static_cast<int64_t>(random_.UniformBelow(300))));
          stopped = victim();
          if (stopped <= 0 || ::kill(stopped, SIGSTOP) != 0) return false;
          if (condition(stopped)) return true;
          ::kill(stopped, SIGCONT);
          return false;
        },
        absl::Seconds(60));
  }

  int64_t Leased() {
    SQLite::Database database(farm_.database(), SQLite::OPEN_READONLY);
    database.setBusyTimeout(5000);
    return database.execAndGet("SELECT count(*) FROM work_items WHERE state = 'leased'").getInt64();
  }

  pid_t RunWorker() {
    for (const pid_t child : ChildrenOf(farm_.agent().pid())) {
      if (CommandLineOf(child).find("--role run ") != std::string::npos) return child;
    }
    return -1;
  }

  // The run worker, while its runner executes a candidate.
  void KillWorker() {
    pid_t worker = -1;
    ASSERT_TRUE(StopWhen([&] { return RunWorker(); },
                         [&](pid_t pid) { return !ChildrenOf(pid).empty(); }, worker))
        << "no attempt was running in a worker" << farm_.agent().Log();
    ASSERT_GT(Leased(), 0);
    ASSERT_EQ(::kill(worker, SIGKILL), 0);
    ++histogram_["worker, attempt running"];
  }

  // The agent, while the store says that it holds a lease; the server stands still meanwhile.
  void KillAgent() {
    pid_t server = -1;
    ASSERT_TRUE(
        StopWhen([&] { return farm_.server().pid(); }, [&](pid_t) { return Leased() > 0; }, server))
        << "the agent never held a lease";
    farm_.agent().KillHard();
    ::kill(server, SIGCONT);
    ++histogram_["agent, lease held"];
    CollectAcknowledged();
    farm_.StartAgent();
  }

  // The server, while a lease that it granted is unreported.
  void KillServer() {
    pid_t server = -1;
    ASSERT_TRUE(
        StopWhen([&] { return farm_.server().pid(); }, [&](pid_t) { return Leased() > 0; }, server))
        << "the server had granted nothing";
    farm_.server().KillHard();
    ++histogram_["server, granted and unreported"];
    farm_.StartServer();
  }

  void CollectAcknowledged() {
    static const std::regex pattern(
        R"re("report_acknowledged","attempt_id":"([^"]+)","result":"RESULT_STORED")re");
    const std::string log = farm_.agent().Log();
    for (std::sregex_iterator it(log.begin(), log.end(), pattern), end; it != end; ++it) {
      acknowledged_.insert((*it)[1]);
    }
  }

  void CheckEnd() {
    const CommandResult watched =
        Burnish({"watch", job_id_, "--json", "--server", farm_.address()}, {}, absl::Minutes(5));
    ASSERT_EQ(watched.exit_code, 0) << watched.err << farm_.server().Log() << farm_.agent().Log();
    const nlohmann::json document = watched.Json();
    EXPECT_EQ(document["state"], "done");
    EXPECT_EQ(document["tasks"][0]["trials"], kTrials);
    CollectAcknowledged();

    std::map<std::string, int> stored;
    std::set<int64_t> trials;
    for (const char* kind : {"measure", "compare"}) {
      for (const nlohmann::json& record :
           Burnish({"records", job_id_, "--json", "--kind", kind, "--server", farm_.address()})
               .JsonLines()) {
        ++stored[record["attempt_id"]];
        if (record["trial"].is_number() && record["outcome"] != "infrastructure" &&
            record["late"] == false) {
          EXPECT_TRUE(trials.insert(record["trial"].get<int64_t>()).second)
              << "trial " << record["trial"] << " counts twice";
        }
      }
    }
    for (const auto& [attempt, count] : stored) EXPECT_EQ(count, 1) << attempt;
    int lost = 0;
    for (const std::string& attempt : acknowledged_) lost += stored.contains(attempt) ? 0 : 1;
    EXPECT_EQ(lost, 0);
    EXPECT_GT(acknowledged_.size(), 0u);
    histogram_["acknowledged"] += static_cast<int>(acknowledged_.size());
    histogram_["stored"] += static_cast<int>(stored.size());
    histogram_["acknowledged and lost"] += lost;
    CheckWinner(document["tasks"][0]);
  }

  void CheckWinner(const nlohmann::json& task) {
    const auto comparisons =
        Burnish({"records", job_id_, "--json", "--kind", "compare", "--server", farm_.address()})
            .JsonLines();
    std::map<std::string, double> latencies;
    for (const nlohmann::json& comparison : comparisons) {
      if (comparison["outcome"] != "ok" || comparison["late"] == true) continue;
      for (const nlohmann::json& finalist : comparison["finalists"]) {
        std::vector<double> rounds;
        for (const nlohmann::json& sample : finalist["rounds"]) {
          rounds.push_back(sample["total_ns"].get<double>() / sample["launches"].get<double>());
        }
        if (finalist["outcome"] == "ok") {
          latencies[finalist["configuration"].dump()] = stats::Quantile(rounds, 0.2);
        }
      }
    }
    ASSERT_FALSE(latencies.empty());
    const auto lowest =
        std::min_element(latencies.begin(), latencies.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    std::set<std::string> winners = {task["best"]["configuration"].dump()};
    for (const nlohmann::json& tie : task["best"]["tie"]) winners.insert(tie.dump());
    EXPECT_TRUE(winners.contains(lowest->first)) << lowest->first;
  }

  TemporaryFolder folder_;
  Farm farm_{folder_};
  RandomStream random_;
  std::map<std::string, int>& histogram_;
  std::string job_id_;
  std::set<std::string> acknowledged_;
};

TEST(KillTest, WhateverDiesTheJobEndsAndNothingAcknowledgedIsLost) {
  const uint64_t rounds = NumberFromEnvironment("BURNISH_KILL_ROUNDS", 1);
  const uint64_t first_seed = NumberFromEnvironment("BURNISH_KILL_SEED", RandomSeed() % 1'000'000);
  std::map<std::string, int> histogram;
  for (uint64_t round = 0; round < rounds; ++round) {
    const uint64_t seed = first_seed + round;
    SCOPED_TRACE(absl::StrCat("BURNISH_KILL_SEED=", seed));
    std::printf("round %llu of %llu, seed %llu\n", static_cast<unsigned long long>(round + 1),
                static_cast<unsigned long long>(rounds), static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    KillRound(seed, histogram).Run();
    if (::testing::Test::HasFailure()) break;
  }
  for (const auto& [what, count] : histogram) std::printf("%6d %s\n", count, what.c_str());
}

}  // namespace
}  // namespace burnish::e2e
