// What an operator sees: metrics of a server and an agent after real work, checked by promtool,
// logs, readiness, and a server that drains.
#include <fcntl.h>
#include <signal.h>

#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/unique_fd.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"
#include "tests/e2e/jobs.h"
#include "tests/e2e/page.h"

namespace burnish::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kMaxSeries = 5000;  // per process

int SeriesIn(const std::string& metrics) {
  std::istringstream stream(metrics);
  int series = 0;
  for (std::string line; std::getline(stream, line);) series += line.starts_with('#') ? 0 : 1;
  return series;
}

// What promtool has to say against a scrape; empty if nothing.
std::string PromtoolFaults(const TemporaryFolder& folder, const std::string& metrics) {
  const UniqueFd in(::open(folder.Write("scrape", metrics).c_str(), O_RDONLY | O_CLOEXEC));
  const std::string out_path = folder.Write("promtool", "");
  const UniqueFd out(::open(out_path.c_str(), O_WRONLY | O_CLOEXEC));
  SpawnOptions options;
  options.arguments = {"/usr/bin/promtool", "check", "metrics"};
  options.descriptors = {{0, in.get()}, {1, out.get()}, {2, out.get()}};
  auto child = ChildProcess::Spawn(options);
  if (!child.ok()) return child.status().ToString();
  const auto ended = child->Wait(absl::Seconds(30));
  std::stringstream said;
  said << std::ifstream(out_path).rdbuf();
  if (!ended.has_value() || ended->code != 0) return absl::StrCat("promtool: ", said.str());
  return said.str();
}

// Every line but those for people is one JSON object with the fixed keys.
void CheckLog(const std::string& log) {
  std::istringstream stream(log);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("listening grpc=")) continue;
    const auto event = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    ASSERT_TRUE(event.is_object()) << line;
    for (const char* key : {"ts", "level", "event"}) EXPECT_TRUE(event.contains(key)) << line;
  }
}

class MetricsTest : public ::testing::Test {
 protected:
  void Start(const std::string& drain_grace) {
    farm_.StartServer({"--http", "127.0.0.1:0", "--drain-grace", drain_grace});
    ASSERT_FALSE(HasFatalFailure());
    farm_.StartAgent({"--metrics", "127.0.0.1:0"});
    ASSERT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();
    const auto served = farm_.agent().WaitForLine("metrics_served", absl::Seconds(10));
    ASSERT_TRUE(served.has_value()) << farm_.agent().Log();
    agent_address_ = nlohmann::json::parse(*served)["address"];
  }

  TemporaryFolder folder_;
  Farm farm_{folder_};
  std::string agent_address_;
};

TEST_F(MetricsTest, AScrapeAfterRealWorkIsWellFormedBoundedAndRight) {
  ASSERT_NO_FATAL_FAILURE(Start("5"));
  EXPECT_EQ(Get(farm_.http_address(), "/livez").status, 200);
  EXPECT_EQ(Get(farm_.http_address(), "/readyz").status, 200);
  const std::string job = WriteSmallJob(
      folder_, {.trials = 16, .body = "#if MODE == 1\n  oops_in_the_source;\n#endif\n"});
  ASSERT_EQ(Burnish({"tune", job, "--server", farm_.address()}).exit_code, 0);

  const std::string server = Get(farm_.http_address(), "/metrics").text;
  const std::string agent = Get(agent_address_, "/metrics").text;
  for (const std::string& scrape : {server, agent}) {
    EXPECT_EQ(PromtoolFaults(folder_, scrape), "");
    EXPECT_LE(SeriesIn(scrape), kMaxSeries);
    EXPECT_THAT(scrape, HasSubstr("process_resident_memory_bytes "));
    EXPECT_THAT(scrape, HasSubstr("burnish_build_info{"));
  }
  EXPECT_GT(SeriesIn(server), 100);
  RecordProperty("server_series", SeriesIn(server));
  RecordProperty("agent_series", SeriesIn(agent));

  EXPECT_THAT(server, HasSubstr("\nburnish_agents{state=\"live\"} 1\n"));
  EXPECT_THAT(server, HasSubstr("\nburnish_devices{backend=\"cpu\",state=\"available\"} 1\n"));
  EXPECT_THAT(server, HasSubstr("\nburnish_jobs{state=\"running\"} 0\n"));
  // Sixteen trials and the comparison.
  EXPECT_THAT(server, HasSubstr("\nburnish_report_result_total{kind=\"stored\"} 17\n"));
  EXPECT_THAT(server, HasSubstr("outcome=\"compile_error\"} 4\n"));
  EXPECT_THAT(server, HasSubstr("\nburnish_attempts_total{backend=\"cpu\",outcome=\"ok\"} 13\n"));
  EXPECT_THAT(server, HasSubstr("grpc_server_handled_total{grpc_code=\"OK\",grpc_method=\"Submit\","
                                "grpc_service=\"burnish.v1.JobService\"} 1\n"));

  EXPECT_THAT(agent, HasSubstr("\nburnish_agent_connected 1\n"));
  EXPECT_THAT(agent, HasSubstr("\nburnish_agent_journal_depth 0\n"));
  EXPECT_THAT(agent, HasSubstr("\nburnish_agent_attempts_total{outcome=\"ok\"} 13\n"));
  EXPECT_THAT(agent, HasSubstr("\nburnish_agent_canaries_total{outcome=\"ok\"} 1\n"));
  EXPECT_THAT(agent, HasSubstr("\nburnish_agent_compile_seconds_count 16\n"));
  EXPECT_THAT(agent, HasSubstr("\nburnish_agent_run_seconds_count 13\n"));

  CheckLog(farm_.server().Log());
  CheckLog(farm_.agent().Log());
  EXPECT_THAT(farm_.server().Log() + farm_.agent().Log(), Not(HasSubstr("oops_in_the_source")));
}

TEST_F(MetricsTest, AServerToldToStopSaysSoTakesNoJobsAndEndsAfterItsGrace) {
  ASSERT_NO_FATAL_FAILURE(Start("4"));
  const absl::Duration told = SystemClock().Monotonic();
  farm_.server().Signal(SIGTERM);
  Page ready;
  EXPECT_TRUE(WaitUntil(
      [&] {
        ready = Get(farm_.http_address(), "/readyz");
        return ready.status != 200;
      },
      absl::Seconds(3)));
  EXPECT_EQ(ready.status, 503);
  EXPECT_THAT(ready.text, HasSubstr("draining"));
  EXPECT_EQ(Get(farm_.http_address(), "/livez").status, 200);
  const std::string job = WriteSmallJob(folder_, {});
  const CommandResult refused =
      Burnish({"submit", job, "--server", farm_.address(), "--connect-timeout", "1"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("takes no new jobs"));
  EXPECT_THAT(refused.err, HasSubstr("submit again"));
  const auto ended = farm_.server().Wait(absl::Seconds(15));
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->code, 0) << farm_.server().Log();
  EXPECT_GE(SystemClock().Monotonic() - told, absl::Seconds(4));
}

TEST_F(MetricsTest, ASecondSignalEndsADrainAtOnce) {
  ASSERT_NO_FATAL_FAILURE(Start("600"));
  farm_.server().Signal(SIGTERM);
  ASSERT_TRUE(farm_.server().WaitForLine("\"event\":\"draining\"", absl::Seconds(10)).has_value());
  farm_.server().Signal(SIGTERM);
  const auto ended = farm_.server().Wait(absl::Seconds(30));
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->code, 0) << farm_.server().Log();
}

}  // namespace
}  // namespace burnish::e2e
