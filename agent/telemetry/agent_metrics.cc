#include "agent/telemetry/agent_metrics.h"

#include <variant>

namespace burnish::agent {
namespace {

// 0 stands for a step that the attempt did not get to.
void Observe(const telemetry::Histogram& histogram, double seconds) {
  if (seconds > 0) histogram.Observe(absl::Seconds(seconds));
}

}  // namespace

AgentMetrics::AgentMetrics(telemetry::Metrics& metrics)
    : attempts(metrics.Counters(telemetry::kAgentAttempts)),
      canaries(metrics.Counters(telemetry::kAgentCanaries)),
      compile(metrics.NewHistogram(telemetry::kAgentCompile)),
      run(metrics.NewHistogram(telemetry::kAgentRun)),
      journal_depth(metrics.NewGauge(telemetry::kAgentJournalDepth)),
      connected(metrics.NewGauge(telemetry::kAgentConnected)),
      workers_lost(metrics.NewCounter(telemetry::kAgentWorkersLost)) {}

void AgentMetrics::Count(const work::Report& report) const {
  std::visit(
      [this](const auto& result) {
        attempts.With({work::OutcomeName(result.outcome)}).Add();
        Observe(run, result.run_seconds);
      },
      report.result);
  if (const auto* measurement = std::get_if<work::Measurement>(&report.result)) {
    Observe(compile, measurement->compile_seconds);
  }
}

}  // namespace burnish::agent
