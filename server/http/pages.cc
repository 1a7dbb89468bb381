#include "server/http/pages.h"

#include <string>

namespace burnish::server {
namespace {

http::Answer ReadyPage(const Readiness& readiness) {
  const std::string reasons = readiness.Reasons();
  if (reasons.empty()) return {.content = "ok\n"};
  return {.status = 503, .content = reasons};
}

}  // namespace

http::Pages ServerPages(const Readiness& readiness, telemetry::Metrics& metrics) {
  return {
      {"/livez", [] { return http::Answer{.content = "ok\n"}; }},
      {"/readyz", [&readiness] { return ReadyPage(readiness); }},
      {"/metrics",
       [&metrics] {
         return http::Answer{.content = metrics.Text(),
                             .content_type = telemetry::kMetricsContentType};
       }},
  };
}

}  // namespace burnish::server
