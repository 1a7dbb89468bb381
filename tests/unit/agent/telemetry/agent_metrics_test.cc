#include "agent/telemetry/agent_metrics.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::agent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(AgentMetrics, CountAttemptsByOutcomeAndOnlyStepsThatHappened) {
  telemetry::Metrics metrics;
  const AgentMetrics counters(metrics);
  counters.Count({.result = work::Measurement{
                      .outcome = work::Outcome::kOk, .compile_seconds = 0.3, .run_seconds = 0.7}});
  counters.Count({.result = work::Measurement{.outcome = work::Outcome::kCompileError,
                                              .compile_seconds = 0.1}});
  counters.Count({.result = work::Comparison{.outcome = work::Outcome::kOk, .run_seconds = 3}});
  EXPECT_THAT(metrics.Text(),
              AllOf(HasSubstr("burnish_agent_attempts_total{outcome=\"ok\"} 2\n"),
                    HasSubstr("burnish_agent_attempts_total{outcome=\"compile_error\"} 1\n"),
                    HasSubstr("burnish_agent_compile_seconds_count 2\n"),
                    HasSubstr("burnish_agent_run_seconds_count 2\n"),
                    HasSubstr("burnish_agent_run_seconds_bucket{le=\"1\"} 1\n")));
}

}  // namespace
}  // namespace burnish::agent
