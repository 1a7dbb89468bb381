#include "server/rpc/fleet_service.h"

#include "gtest/gtest.h"
#include "tests/unit/server/rpc/rpc_fixture.h"

namespace burnish::rpc {
namespace {

TEST(FleetService, KeepsWhoDecidedAboutADevice) {
  RpcServer server;
  const std::string admin = server.MakeToken(store::Role::kAdmin);
  FakeAgent agent(server, admin);
  ASSERT_TRUE(agent.Send(FakeAgent::Hello()));
  ASSERT_TRUE(agent.Receive().has_value());
  pb::SetStandingRequest request;
  request.set_target("agent");
  request.set_standing(pb::STANDING_DRAINING);
  pb::DevicesReply reply;
  const auto stub = pb::FleetService::NewStub(server.channel());
  ASSERT_TRUE(stub->SetStanding(ContextWithDeadline(admin).get(), request, &reply).ok());
  ASSERT_EQ(reply.devices_size(), 1);
  const store::Token token = server.store().Tokens()->at(0);
  EXPECT_EQ(server.store().Devices()->at(0).standing.by, auth::Principal{token}.Actor());
}

}  // namespace
}  // namespace burnish::rpc
