#include "server/http/pages.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::server {
namespace {

using ::testing::HasSubstr;

TEST(ServerPages, SayWhetherTheServerIsReadyAndWhyNot) {
  Readiness readiness;
  telemetry::Metrics metrics;
  const http::Pages pages = ServerPages(readiness, metrics);
  EXPECT_EQ(pages.at("/livez")().status, 200);
  EXPECT_EQ(pages.at("/readyz")().status, 503);
  EXPECT_THAT(pages.at("/readyz")().content, HasSubstr("starting"));
  readiness.Set("starting", "");
  EXPECT_EQ(pages.at("/readyz")().status, 200);
}

TEST(ServerPages, ShowTheMetrics) {
  Readiness readiness;
  telemetry::Metrics metrics;
  metrics.NewCounter(telemetry::kLeaseExpired).Add();
  const http::Answer answer = ServerPages(readiness, metrics).at("/metrics")();
  EXPECT_THAT(answer.content, HasSubstr("burnish_lease_expired_total 1\n"));
  EXPECT_THAT(answer.content_type, HasSubstr("version=0.0.4"));
}

}  // namespace
}  // namespace burnish::server
