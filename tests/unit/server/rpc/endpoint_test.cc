#include "server/rpc/endpoint.h"

#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/rpc/rpc_fixture.h"

namespace burnish::rpc {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<std::unique_ptr<Endpoint>> Listen(const net::ServerAddress& address) {
  static pb::JobService::CallbackService& service = *new pb::JobService::CallbackService;
  return Endpoint::Listen(address, {&service});
}

TEST(Endpoint, ReplacesPortZeroByTheOneItGot) {
  const auto endpoint = Listen(*net::ParseServerAddress("127.0.0.1:0"));
  ASSERT_TRUE(endpoint.ok()) << endpoint.status();
  EXPECT_GT((*endpoint)->address().port, 0);
}

TEST(Endpoint, RefusesAPortThatAnotherServerHas) {
  const auto first = Listen(*net::ParseServerAddress("127.0.0.1:0"));
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = Listen((*first)->address());
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.status().message(), HasSubstr(net::ToText((*first)->address())));
  EXPECT_THAT(DiagnosticOf(second.status())->hint, HasSubstr("port is taken"));
}

TEST(Endpoint, LeavesTheSocketOfALivingServerAlone) {
  RpcServer server;
  const auto second = Listen(server.address());
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(DiagnosticOf(second.status())->hint, HasSubstr("another server"));
}

}  // namespace
}  // namespace burnish::rpc
