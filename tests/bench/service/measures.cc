#include "tests/bench/service/measures.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/numbers.h"
#include "common/base/unique_fd.h"
#include "tests/bench/service/fleet.h"

namespace burnish::bench {
namespace {

constexpr absl::Duration kWarmUp = absl::Seconds(3);

// The calls of the store that commit something.
constexpr const char* kCommits[] = {"store_reports", "add_trials", "claim", "renew_sessions"};

double At(const std::map<std::string, double>& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? 0 : found->second;
}

double CommitsIn(const Counts& counts) {
  double commits = 0;
  for (const char* call : kCommits) commits += At(counts.store_calls, call);
  return commits;
}

// In ms. Not of an empty list.
double Percentile(std::vector<absl::Duration>& sorted_here, double share) {
  CHECK(!sorted_here.empty());
  std::ranges::sort(sorted_here);
  const auto at = static_cast<size_t>(share * static_cast<double>(sorted_here.size()));
  return absl::ToDoubleMilliseconds(sorted_here[std::min(at, sorted_here.size() - 1)]);
}

// Median time in ms to append 4 KiB and sync it, on the file system of `folder`.
double SyncTime(const std::string& folder) {
  const std::string path = folder + "/sync";
  const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  CHECK(fd.valid()) << path;
  const std::string page(4096, 'x');
  std::vector<absl::Duration> times;
  for (int i = 0; i < 200; ++i) {
    CHECK(::write(fd.get(), page.data(), page.size()) == static_cast<ssize_t>(page.size()));
    const absl::Duration start = SystemClock().Monotonic();
    CHECK(::fdatasync(fd.get()) == 0);
    times.push_back(SystemClock().Monotonic() - start);
  }
  ::unlink(path.c_str());
  return Percentile(times, 0.5);
}

struct WalStatistics {
  double syncs = 0;
  double sync_ms = 0;
  double commits = 0;
};

WalStatistics WalOf(Database& database) {
  const std::vector<std::string> fields =
      absl::StrSplit(database.Sql("SELECT wal_sync, wal_sync_time, (SELECT sum(xact_commit) FROM "
                                  "pg_stat_database) FROM pg_stat_wal"),
                     '|');
  CHECK(fields.size() == 3);
  return {*ParseReal(fields[0]), *ParseReal(fields[1]), *ParseReal(fields[2])};
}

// Rates over a steady stretch, and the best second of it.
struct Rates {
  double steady = 0;
  double peak = 0;
  double cpu = 0;  // cores of the server
  double commits = 0;
};

Rates Watch(const Fleet& fleet, const Server& server, absl::Duration stretch) {
  SleepThread(kWarmUp);
  const absl::Duration start = SystemClock().Monotonic();
  const absl::Duration cpu_before = server.CpuTime();
  const int64_t stored_before = fleet.stored();
  const double commits_before = CommitsIn(ParseMetrics(server.Metrics()));
  Rates rates;
  absl::Duration last = start;
  int64_t stored_last = stored_before;
  while (last - start < stretch) {
    SleepThread(absl::Seconds(1));
    const absl::Duration now = SystemClock().Monotonic();
    const int64_t stored = fleet.stored();
    rates.peak = std::max(
        rates.peak, static_cast<double>(stored - stored_last) / absl::ToDoubleSeconds(now - last));
    last = now;
    stored_last = stored;
  }
  const double seconds = absl::ToDoubleSeconds(last - start);
  rates.steady = static_cast<double>(stored_last - stored_before) / seconds;
  rates.cpu = absl::ToDoubleSeconds(server.CpuTime() - cpu_before) / seconds;
  rates.commits = (CommitsIn(ParseMetrics(server.Metrics())) - commits_before) / seconds;
  CHECK(fleet.lost() == 0) << fleet.lost() << " streams broke";
  return rates;
}

void AddSyncFigures(Database& database, const std::string& group, const WalStatistics& before,
                    double seconds, Report& report) {
  if (database.kind() == DatabaseKind::kSqlite) return;
  const WalStatistics after = WalOf(database);
  const double syncs = after.syncs - before.syncs;
  report.Add({group, "PostgreSQL: transactions", (after.commits - before.commits) / seconds, "/s"});
  report.Add({group, "PostgreSQL: WAL syncs", syncs / seconds, "/s"});
  report.Add({group, "PostgreSQL: time of one WAL sync",
              syncs > 0 ? (after.sync_ms - before.sync_ms) / syncs : 0, "ms"});
}

}  // namespace

double MeasureThroughput(Database& database, const Effort& effort, const std::string& group,
                         Report& report) {
  Server server(database);
  const Fleet fleet({.address = server.address(), .agents = effort.agents});
  for (int agent = 0; agent < effort.agents; ++agent) server.SubmitJob(agent);
  const bool postgres = database.kind() == DatabaseKind::kPostgres;
  const WalStatistics before = postgres ? WalOf(database) : WalStatistics{};
  const absl::Duration start = SystemClock().Monotonic();
  const Rates rates = Watch(fleet, server, effort.steady);
  report.Add({.group = group,
              .name = "trials stored, steady",
              .value = rates.steady,
              .unit = "/s",
              .at_least = 1000});
  report.Add({group, "trials stored, best second", rates.peak, "/s"});
  report.Add({group, "server: CPU per trial", rates.cpu / rates.steady * 1e3, "ms"});
  report.Add({group, "server: commits", rates.commits, "/s"});
  report.Add(
      {group, "fdatasync of 4 KiB appended, median", SyncTime(database.folder().path()), "ms"});
  AddSyncFigures(database, group, before, absl::ToDoubleSeconds(SystemClock().Monotonic() - start),
                 report);
  return rates.steady;
}

void MeasureOverhead(Database& database, const Effort& effort, const std::string& group,
                     Report& report) {
  Server server(database);
  const Fleet fleet({.address = server.address(), .agents = 1});
  server.SubmitJob(0);
  const Rates rates = Watch(fleet, server, effort.steady / 2);
  report.Add({.group = group,
              .name = "overhead per trial, one agent at prefetch 4",
              .value = 1e3 / rates.steady,
              .unit = "ms",
              .at_most = 1});
  report.Add({group, "of it: CPU of the server", rates.cpu / rates.steady * 1e3, "ms"});
  report.Add({group, "of it: commits", rates.commits / rates.steady, "/trial"});
}

void MeasureDispatch(Database& database, const Effort& effort, double peak, int replicas,
                     const std::string& group, Report& report) {
  Server owner(database);
  {
    // Its devices are known from here on; the jobs stay with the only server there is.
    const Fleet first({.address = owner.address(), .agents = effort.agents});
    for (int agent = 0; agent < effort.agents; ++agent) owner.SubmitJob(agent);
    SleepThread(absl::Seconds(1));
  }
  std::optional<Server> other;
  if (replicas == 2) other.emplace(database);
  const Server& server = other.has_value() ? *other : owner;
  Fleet fleet({.address = server.address(),
               .agents = effort.agents,
               .trial_time = absl::Seconds(effort.agents / (peak / 2))});
  SleepThread(kWarmUp);
  if (other.has_value()) {
    const std::string foreign = database.Sql(absl::StrCat(
        "SELECT count(*) FROM job_leases WHERE replica NOT LIKE '", owner.pid(), "-%'"));
    CHECK(foreign == "0") << foreign << " jobs are owned by the server that has the agents";
  }
  const Counts before = ParseMetrics(server.Metrics());
  fleet.TakeRefills();
  const int64_t stored_before = fleet.stored();
  SleepThread(effort.steady);
  std::vector<absl::Duration> refills = fleet.TakeRefills();
  const double rate =
      static_cast<double>(fleet.stored() - stored_before) / absl::ToDoubleSeconds(effort.steady);
  const Counts after = ParseMetrics(server.Metrics());
  const std::string where = replicas == 2 ? ", two replicas" : "";
  const double target_ms = replicas == 2 ? 250 : 50;
  report.Add({group, "trials stored, at half the peak" + where, rate, "/s"});
  report.Add(
      {group, "dispatch latency p50, seen by agents" + where, Percentile(refills, 0.5), "ms"});
  report.Add({.group = group,
              .name = "dispatch latency p99, seen by agents" + where,
              .value = Percentile(refills, 0.99),
              .unit = "ms",
              .at_most = target_ms});
  // The smallest bound that 99 % are within.
  const double all = after.dispatches.rbegin()->second - before.dispatches.rbegin()->second;
  for (const auto& [bound, count] : after.dispatches) {
    if (count - before.dispatches.at(bound) < 0.99 * all) continue;
    report.Add({group, "dispatch latency p99, the server's metric" + where, bound * 1e3, "ms"});
    break;
  }
}

void MeasureIdle(Database& database, const Effort& effort, const std::string& group,
                 Report& report) {
  Server server(database);
  const int64_t before = server.ResidentBytes();
  const absl::Duration start = SystemClock().Monotonic();
  const Fleet fleet({.address = server.address(), .agents = effort.idle_agents, .channels = 8});
  report.Add({group, absl::StrCat(effort.idle_agents, " agents attach in"),
              absl::ToDoubleSeconds(SystemClock().Monotonic() - start), "s"});
  SleepThread(absl::Seconds(6));  // until all have sent heartbeats
  const int64_t beats = fleet.heartbeats();
  const absl::Duration cpu = server.CpuTime();
  const absl::Duration from = SystemClock().Monotonic();
  SleepThread(std::max(effort.steady, absl::Seconds(10)));
  const double seconds = absl::ToDoubleSeconds(SystemClock().Monotonic() - from);
  CHECK(fleet.lost() == 0) << fleet.lost() << " idle streams broke";
  const double expected = effort.idle_agents / 5.0;
  report.Add({.group = group,
              .name = "idle agents: heartbeats answered",
              .value = static_cast<double>(fleet.heartbeats() - beats) / seconds,
              .unit = "/s",
              .at_least = 0.95 * expected});
  report.Add({group, "idle agents: CPU of the server",
              absl::ToDoubleSeconds(server.CpuTime() - cpu) / seconds * 100, "%"});
  report.Add({group, "idle agents: memory per agent",
              static_cast<double>(server.ResidentBytes() - before) / 1024 / effort.idle_agents,
              "KiB"});
}

}  // namespace burnish::bench
