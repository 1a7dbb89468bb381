// The agent's metrics as handles, and what a finished attempt adds to them. Thread-safe.
#pragma once

#include "common/telemetry/metrics.h"
#include "common/work/work_item.h"

namespace burnish::agent {

struct AgentMetrics {
  explicit AgentMetrics(telemetry::Metrics& metrics);
  void Count(const work::Report& report) const;

  telemetry::Family<telemetry::Counter> attempts;  // outcome
  telemetry::Family<telemetry::Counter> canaries;  // outcome
  telemetry::Histogram compile;
  telemetry::Histogram run;
  telemetry::Gauge journal_depth;
  telemetry::Gauge connected;
  telemetry::Counter workers_lost;
};

}  // namespace burnish::agent
