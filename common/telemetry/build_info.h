// Which program this is, as a metric.
#pragma once

#include <string_view>

#include "common/telemetry/metrics.h"

namespace burnish::telemetry {

// Exports the version and commit of this program; `schema` is empty without a database.
void AddBuildInfo(Metrics& metrics, std::string_view schema);

}  // namespace burnish::telemetry
