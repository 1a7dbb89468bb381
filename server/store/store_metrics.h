// What a store counts of itself, for an operator. Made by default, it counts nowhere.
#pragma once

#include "common/telemetry/metrics.h"

namespace burnish::store {

struct StoreMetrics {
  telemetry::Family<telemetry::Histogram> calls;  // by the call's name in snake_case: "claim"
  telemetry::Gauge connections_in_use;
};

}  // namespace burnish::store
