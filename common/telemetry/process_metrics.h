// The process_* metrics that Prometheus expects of every program, read from /proc at each scrape.
#pragma once

#include "common/telemetry/metrics.h"

namespace burnish::telemetry {

// Exports them from now on.
void AddProcessMetrics(Metrics& metrics);

}  // namespace burnish::telemetry
