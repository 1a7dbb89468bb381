// The pages for whoever watches over the server: /livez, /readyz, /metrics.
#pragma once

#include "common/http/page_server.h"
#include "common/telemetry/metrics.h"
#include "server/monitor/readiness.h"

namespace burnish::server {

// Both outlive the pages.
http::Pages ServerPages(const Readiness& readiness, telemetry::Metrics& metrics);

}  // namespace burnish::server
