#include "common/telemetry/metrics.h"

#include <thread>

#include "absl/synchronization/notification.h"
#include "common/telemetry/process_metrics.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::telemetry {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Metrics, ShowsEveryCombinationOfListedValuesFromTheStart) {
  Metrics metrics;
  metrics.Counters(kAttempts);
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("# HELP burnish_attempts_total Attempts whose report"));
  EXPECT_THAT(text, HasSubstr("# TYPE burnish_attempts_total counter\n"));
  EXPECT_THAT(text,
              HasSubstr("burnish_attempts_total{backend=\"cpu\",outcome=\"wrong_result\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("burnish_attempts_total{backend=\"other\",outcome=\"ok\"} 0\n"));
}

TEST(Metrics, CountsTheSeriesThatWasMeant) {
  Metrics metrics;
  const Family<Counter> attempts = metrics.Counters(kAttempts);
  attempts.With({"cpu", "ok"}).Add();
  attempts.With({"cpu", "ok"}).Add(2);
  EXPECT_THAT(metrics.Text(),
              HasSubstr("burnish_attempts_total{backend=\"cpu\",outcome=\"ok\"} 3\n"));
}

TEST(Metrics, TakesAValueOutsideTheSetAsOther) {
  Metrics metrics;
  metrics.Counters(kAttempts).With({"mallory\"s", "ok"}).Add();
  EXPECT_THAT(metrics.Text(),
              HasSubstr("burnish_attempts_total{backend=\"other\",outcome=\"ok\"} 1\n"));
  EXPECT_THAT(metrics.Text(), Not(HasSubstr("mallory")));
}

TEST(Metrics, SortsDurationsIntoBuckets) {
  Metrics metrics;
  const Histogram latency = metrics.NewHistogram(kDispatchLatency);
  latency.Observe(absl::Milliseconds(3));
  latency.Observe(absl::Seconds(1000));
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("burnish_dispatch_latency_seconds_bucket{le=\"0.002\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("burnish_dispatch_latency_seconds_bucket{le=\"0.005\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("burnish_dispatch_latency_seconds_bucket{le=\"500\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("burnish_dispatch_latency_seconds_bucket{le=\"+Inf\"} 2\n"));
}

TEST(Metrics, RefreshesBeforeEachScrape) {
  Metrics metrics;
  const Gauge depth = metrics.NewGauge(kAgentJournalDepth);
  int scrapes = 0;
  metrics.BeforeScrape([&] { depth.Set(++scrapes); });
  EXPECT_THAT(metrics.Text(), HasSubstr("burnish_agent_journal_depth 1\n"));
  EXPECT_THAT(metrics.Text(), HasSubstr("burnish_agent_journal_depth 2\n"));
}

TEST(Metrics, AnswersOtherScrapesWhileARefreshHangs) {
  Metrics metrics;
  absl::Notification hangs, go_on;
  metrics.BeforeScrape([&] {
    hangs.Notify();
    go_on.WaitForNotification();
  });
  std::thread first([&] { metrics.Text(); });
  hangs.WaitForNotification();
  metrics.Text();
  go_on.Notify();
  first.join();
}

TEST(Metrics, HandlesOfNothingCountNowhere) {
  Counter().Add();
  Gauge().Set(1);
  Histogram().Observe(absl::Seconds(1));
  Family<Counter>().With({"any", "thing"}).Add();
}

TEST(ProcessMetrics, AreThoseOfThisProcess) {
  Metrics metrics;
  AddProcessMetrics(metrics);
  const std::string text = metrics.Text();
  for (const char* positive :
       {"process_resident_memory_bytes", "process_virtual_memory_bytes", "process_open_fds",
        "process_max_fds", "process_threads", "process_start_time_seconds"}) {
    EXPECT_THAT(text, testing::ContainsRegex(std::string("\n") + positive + " [1-9]"));
  }
  EXPECT_THAT(text, HasSubstr("\nprocess_cpu_seconds_total "));
}

}  // namespace
}  // namespace burnish::telemetry
