// Worker, agent, server and PostgreSQL killed with -9 at random moments at which they hold work.
// Whatever dies, the job ends, every acknowledged measurement is stored once, nothing is left
// queued, and the winner is the one the records imply.
//
// A round is a job on an SQLite file and one on a PostgreSQL database with two servers. One round
// by default; BURNISH_KILL_ROUNDS for more, BURNISH_KILL_SEED to repeat one.
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <regex>
#include <set>
#include <vector>

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

constexpr int kTrials = 120;  // enough to outlast the waits for every victim
// A job lease of 2 s, and what a busy machine adds.
constexpr absl::Duration kTakeover = absl::Seconds(20);

uint64_t NumberFromEnvironment(const char* name, uint64_t fallback) {
  uint64_t value = 0;
  const auto text = EnvironmentVariable(name);
  return text.has_value() && absl::SimpleAtoi(*text, &value) ? value : fallback;
}

using Histogram = std::map<std::string, int>;

class KillRound {
 public:
  KillRound(uint64_t seed, const std::function<FarmDatabase(const TemporaryFolder&)>& database,
            Histogram& histogram)
      : farm_(folder_, database(folder_)),
        on_postgres_(farm_.database().is_postgres()),
        seed_(seed),
        random_(seed, on_postgres_ ? "postgres" : "sqlite"),
        histogram_(histogram) {}

  void Run() {
    ASSERT_NO_FATAL_FAILURE(StartAndSubmit());
    ASSERT_NO_FATAL_FAILURE(KillWorker());
    ASSERT_NO_FATAL_FAILURE(KillAgent());
    if (on_postgres_) {
      ASSERT_NO_FATAL_FAILURE(KillPostmaster());
      ASSERT_NO_FATAL_FAILURE(KillBackend());
      ASSERT_NO_FATAL_FAILURE(KillOwner());
    }
    ASSERT_NO_FATAL_FAILURE(KillServer());
    CheckEnd();
  }

 private:
  void StartAndSubmit() {
    farm_.StartServer();
    if (on_postgres_) farm_.StartServer({}, 1);
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
    farm_.StartAgent();
    ASSERT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();
    const std::string job = WriteSmallJob(
        folder_, {.trials = kTrials,
                  .modes = 40,
                  .body = "  for (volatile int wait = 0; wait < 3000000; wait = wait + 1) {}\n"});
    const CommandResult submitted =
        Burnish({"submit", job, "--json", "--server", farm_.address(on_postgres_ ? 1 : 0)});
    ASSERT_EQ(submitted.exit_code, 0) << submitted.err;
    job_id_ = submitted.Json()["job_id"];
  }

  // Stops the victims, who could change the answer, asks, and lets them go on if it is no. True
  // with the victims left stopped.
  bool StopWhen(const std::function<std::vector<pid_t>()>& victims,
                const std::function<bool()>& condition) {
    SleepThread(absl::Milliseconds(static_cast<int64_t>(random_.UniformBelow(300))));
    return WaitUntil(
        [&] {
          // Often: a transaction is open for a hundredth of the time.
          SleepThread(absl::Milliseconds(static_cast<int64_t>(random_.UniformBelow(20))));
          stopped_ = victims();
          for (const pid_t pid : stopped_) ::kill(pid, SIGSTOP);
          if (!stopped_.empty() && condition()) return true;
          GoOn();
          return false;
        },
        absl::Seconds(60));
  }

  void GoOn() {
    for (const pid_t pid : stopped_) ::kill(pid, SIGCONT);
    stopped_.clear();
  }

  std::vector<pid_t> Servers() {
    std::vector<pid_t> servers = {farm_.server().pid()};
    if (on_postgres_) servers.push_back(farm_.server(1).pid());
    return servers;
  }

  int64_t Leased() {
    return farm_.database().Count("SELECT count(*) FROM work_items WHERE state = 'leased'");
  }

  std::vector<pid_t> RunWorkers() {
    std::vector<pid_t> workers;
    for (const pid_t child : ChildrenOf(farm_.agent().pid())) {
      if (CommandLineOf(child).find("--role run ") != std::string::npos) workers.push_back(child);
    }
    return workers;
  }

  // The run worker, while its runner executes a candidate.
  void KillWorker() {
    ASSERT_TRUE(
        StopWhen([&] { return RunWorkers(); }, [&] { return !RunnersOf(stopped_[0]).empty(); }))
        << "no attempt was running in a worker" << farm_.agent().Log();
    ASSERT_GT(Leased(), 0);
    for (const pid_t worker : stopped_) ASSERT_EQ(::kill(worker, SIGKILL), 0);
    ++histogram_["worker killed, attempt running"];
  }

  // The agent, while the store says that it holds a lease; its server stands still meanwhile.
  void KillAgent() {
    ASSERT_TRUE(StopWhen([&] { return std::vector{farm_.server(agents_server_).pid()}; },
                         [&] { return Leased() > 0; }))
        << "the agent never held a lease";
    farm_.agent().KillHard();
    GoOn();
    ++histogram_["agent killed, lease held"];
    CollectAcknowledged();
    farm_.StartAgent({}, agents_server_);
  }

  // The server that the agent is attached to, while a lease that it granted is unreported.
  void KillServer() {
    ASSERT_TRUE(StopWhen([&] { return std::vector{farm_.server(agents_server_).pid()}; },
                         [&] { return Leased() > 0; }))
        << "the server had granted nothing";
    farm_.server(agents_server_).KillHard();
    ++histogram_["server killed, granted and unreported"];
    farm_.StartServer({}, agents_server_);
  }

  // A backend that waits for the next statement of a server that stands still; 0 if there is none.
  int64_t BackendInTransaction() {
    return farm_.database().Count(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'burnish' "
        "AND datname = current_database() AND xact_start IS NOT NULL "
        "AND state = 'idle in transaction' LIMIT 1");
  }

  void KillPostmaster() {
    ASSERT_TRUE(StopWhen([&] { return Servers(); },
                         [&] { return BackendInTransaction() > 0 && Leased() > 0; }))
        << "no server ever had a transaction open";
    farm_.database().server().KillHard();
    GoOn();
    SleepThread(absl::Milliseconds(static_cast<int64_t>(random_.UniformBelow(1500))));
    ASSERT_TRUE(farm_.database().server().Restart().ok());
    ++histogram_["postmaster killed, transaction open"];
  }

  // By -9, after which PostgreSQL ends all others and recovers, or in good order.
  void KillBackend() {
    int64_t backend = 0;
    ASSERT_TRUE(
        StopWhen([&] { return Servers(); }, [&] { return (backend = BackendInTransaction()) > 0; }))
        << "no server ever had a transaction open";
    if (seed_ % 2 == 0) {
      ASSERT_EQ(::kill(static_cast<pid_t>(backend), SIGKILL), 0);
      ++histogram_["backend killed, transaction open"];
    } else {
      farm_.database().Execute(absl::StrCat("SELECT pg_terminate_backend(", backend, ")"));
      ++histogram_["backend terminated, transaction open"];
    }
    GoOn();
  }

  // Which of the two servers drives the job; -1 if neither.
  int Owner() {
    const std::string replica = farm_.database().Text(
        absl::StrCat("SELECT replica FROM job_leases WHERE job_id = ", job_id_.substr(1)));
    for (int i = 0; i < 2; ++i) {
      if (replica.starts_with(absl::StrCat(farm_.server(i).pid(), "-"))) return i;
    }
    return -1;
  }

  // The server that drives the job, while the other one, to which the agent is attached, has a
  // lease out. The other one takes the job over.
  void KillOwner() {
    int owner = -1;
    // A slow machine may let the ownership pass on in between.
    for (bool moved = true; moved;) {
      ASSERT_TRUE(WaitUntil([&] { return (owner = Owner()) >= 0; }, kTakeover));
      if (owner == agents_server_) MoveAgentTo(1 - owner);
      ASSERT_TRUE(StopWhen([&] { return std::vector{farm_.server(owner).pid()}; },
                           [&] { return (moved = Owner() != owner) || Leased() > 0; }))
          << "the agent never held a lease";
      if (moved) GoOn();
    }
    farm_.server(owner).KillHard();
    ASSERT_TRUE(WaitUntil([&] { return Owner() == 1 - owner; }, kTakeover))
        << farm_.server(1 - owner).Log();
    ++histogram_["server killed, owner of the job; the other took over"];
    farm_.StartServer({}, owner);
  }

  void MoveAgentTo(int server) {
    farm_.agent().Signal(SIGTERM);
    ASSERT_TRUE(farm_.agent().Wait(absl::Seconds(10)).has_value());
    CollectAcknowledged();
    agents_server_ = server;
    farm_.StartAgent({}, server);
  }

  void CollectAcknowledged() {
    static const std::regex pattern(
        R"re("report_acknowledged","attempt_id":"([^"]+)","result":"RESULT_(?:STORED|DUPLICATE)")re");
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
    int twice = 0;
    for (const auto& [attempt, count] : stored) twice += count > 1 ? 1 : 0;
    EXPECT_EQ(twice, 0);
    histogram_["stored twice"] += twice;
    int lost = 0;
    for (const std::string& attempt : acknowledged_) lost += stored.contains(attempt) ? 0 : 1;
    EXPECT_EQ(lost, 0);
    EXPECT_GT(acknowledged_.size(), 0u);
    histogram_["acknowledged"] += static_cast<int>(acknowledged_.size());
    histogram_["stored"] += static_cast<int>(stored.size());
    histogram_["acknowledged and lost"] += lost;
    const int64_t stuck = farm_.database().Count(
        "SELECT count(*) FROM work_items i JOIN tasks t ON t.id = i.task_id "
        "JOIN jobs j ON j.id = t.job_id WHERE i.state IN ('queued', 'leased') "
        "AND j.state IN ('done', 'failed', 'cancelled')");
    EXPECT_EQ(stuck, 0);
    histogram_["stuck"] += static_cast<int>(stuck);
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
  Farm farm_;
  const bool on_postgres_;
  const uint64_t seed_;
  RandomStream random_;
  Histogram& histogram_;
  std::vector<pid_t> stopped_;
  int agents_server_ = 0;  // replica
  std::string job_id_;
  std::set<std::string> acknowledged_;
};

TEST(KillTest, WhateverDiesTheJobEndsAndNothingAcknowledgedIsLost) {
  const uint64_t rounds = NumberFromEnvironment("BURNISH_KILL_ROUNDS", 1);
  const uint64_t first_seed = NumberFromEnvironment("BURNISH_KILL_SEED", RandomSeed() % 1'000'000);
  const auto postgres = tests::PostgresServer::Start();
  ASSERT_TRUE(postgres.ok()) << postgres.status();
  Histogram histogram;
  for (uint64_t round = 0; round < rounds && !HasFailure(); ++round) {
    const uint64_t seed = first_seed + round;
    SCOPED_TRACE(absl::StrCat("BURNISH_KILL_SEED=", seed));
    std::printf("round %llu of %llu, seed %llu\n", static_cast<unsigned long long>(round + 1),
                static_cast<unsigned long long>(rounds), static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    KillRound(
        seed,
        [](const TemporaryFolder& folder) { return FarmDatabase(folder.path() + "/burnish.db"); },
        histogram)
        .Run();
    if (HasFailure()) break;
    KillRound(
        seed,
        [&](const TemporaryFolder&) {
          return FarmDatabase(**postgres, absl::StrCat("round", round));
        },
        histogram)
        .Run();
  }
  for (const auto& [what, count] : histogram) std::printf("%6d %s\n", count, what.c_str());
}

}  // namespace
}  // namespace burnish::e2e
