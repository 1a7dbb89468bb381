#include <iostream>
#include <memory>

#include "common/base/clock.h"
#include "common/base/numbers.h"
#include "tests/bench/service/fleet.h"
#include "tests/bench/service/service.h"
using namespace burnish;
using namespace burnish::bench;
int main(int argc, char** argv) {
  DatabaseKind kind =
      std::string(argv[1]) == "pg" ? DatabaseKind::kPostgres : DatabaseKind::kSqlite;
  int n = atoi(argv[2]);
  double trial = atof(argv[3]);
  int secs = atoi(argv[4]);
  Database db(kind);
  Server server(db);
  Fleet fleet({.address = server.address(), .agents = n, .trial_time = absl::Milliseconds(trial)});
  for (int i = 0; i < n; ++i) server.SubmitJob(i);
  auto t0 = SystemClock().Monotonic();
  auto c0 = server.CpuTime();
  int64_t s0 = fleet.stored();
  for (int s = 0; s < secs; ++s) {
    SleepThread(absl::Seconds(1));
    auto t = SystemClock().Monotonic();
    auto c = server.CpuTime();
    int64_t st = fleet.stored();
    auto r = fleet.TakeRefills();
    std::sort(r.begin(), r.end());
    std::cout << double(st - s0) / absl::ToDoubleSeconds(t - t0) << "/s cpu "
              << absl::FDivDuration(c - c0, t - t0) << " rss " << server.ResidentBytes() / 1e6;
    if (!r.empty())
      std::cout << " refill p50 " << r[r.size() / 2] << " p99 " << r[r.size() * 99 / 100];
    std::cout << std::endl;
    t0 = t;
    c0 = c;
    s0 = st;
  }
  if (argc > 5) std::cout << server.Metrics();
  if (kind == DatabaseKind::kPostgres)
    std::cout << db.Sql("select wal_sync, wal_sync_time, wal_write, wal_bytes from pg_stat_wal")
              << "\n"
              << db.Sql("select xact_commit from pg_stat_database where datname='postgres'")
              << "\n";
}
