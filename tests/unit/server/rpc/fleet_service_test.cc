#include "server/rpc/fleet_service.h"

#include <cmath>

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

TEST(FleetService, AWeightShowsAmongTheShares) {
  RpcServer server;
  const auto stub = pb::FleetService::NewStub(server.channel());
  pb::SetShareRequest request;
  request.set_team("vision");
  request.set_weight(2);
  pb::SharesReply reply;
  ASSERT_TRUE(stub->SetShare(ContextWithDeadline().get(), request, &reply).ok());
  reply.Clear();
  ASSERT_TRUE(stub->Shares(ContextWithDeadline().get(), {}, &reply).ok());
  ASSERT_EQ(reply.shares_size(), 1);
  EXPECT_EQ(reply.shares(0).team(), "vision");
  EXPECT_EQ(reply.shares(0).weight(), 2);

  for (const double weight : {0.0, -1.0, 1001.0, std::nan("")}) {
    request.set_weight(weight);
    EXPECT_EQ(stub->SetShare(ContextWithDeadline().get(), request, &reply).error_code(),
              grpc::StatusCode::INVALID_ARGUMENT)
        << weight;
  }
}

}  // namespace
}  // namespace burnish::rpc
