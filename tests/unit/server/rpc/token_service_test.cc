#include "server/rpc/token_service.h"

#include "common/base/diagnostic.h"
#include "common/base/hash.h"
#include "common/base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/rpc/rpc_fixture.h"

namespace burnish::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

pb::CreateTokenRequest AdminRequest(const std::string& name = "ops") {
  pb::CreateTokenRequest request;
  request.set_name(name);
  request.set_role(pb::TOKEN_ROLE_ADMIN);
  return request;
}

class TokenServiceTest : public testing::Test {
 protected:
  absl::StatusOr<pb::CreateTokenReply> Create(const pb::CreateTokenRequest& request,
                                              const std::string& token = "") {
    pb::CreateTokenReply reply;
    const absl::Status status =
        net::ToAbslStatus(stub_->Create(ContextWithDeadline(token).get(), request, &reply));
    if (!status.ok()) return status;
    return reply;
  }
  absl::StatusOr<pb::Token> Revoke(const std::string& id, const std::string& token) {
    pb::RevokeTokenRequest request;
    request.set_token_id(id);
    pb::Token reply;
    const absl::Status status =
        net::ToAbslStatus(stub_->Revoke(ContextWithDeadline(token).get(), request, &reply));
    if (!status.ok()) return status;
    return reply;
  }
  std::string RefusalOf(const pb::CreateTokenRequest& request) {
    const absl::Status status = Create(request, admin_).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  }

  RpcServer server_;
  std::unique_ptr<pb::TokenService::Stub> stub_ = pb::TokenService::NewStub(server_.channel());
  std::string admin_;
};

TEST_F(TokenServiceTest, TheFirstTokenIsMadeWithoutOneAndIsNeededFromThenOn) {
  const auto first = Create(AdminRequest());
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(auth::IsTokenText(first->secret()));
  EXPECT_EQ(first->token().token_id(), "t1");
  EXPECT_EQ(first->token().prefix(), first->secret().substr(8, 8));
  EXPECT_TRUE(first->token().all_namespaces());
  EXPECT_EQ(first->token().expires_unix_ms() - first->token().created_unix_ms(),
            int64_t{90} * 86'400'000);
  EXPECT_TRUE(absl::IsUnauthenticated(Create(AdminRequest()).status()));
  EXPECT_TRUE(Create(AdminRequest("second"), first->secret()).ok());
}

TEST_F(TokenServiceTest, TheFirstTokenHasToBeAnAdmins) {
  pb::CreateTokenRequest request = AdminRequest();
  request.set_role(pb::TOKEN_ROLE_AGENT);
  const absl::Status status = Create(request).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
}

TEST_F(TokenServiceTest, TheTextOfATokenIsKeptNowhere) {
  const auto made = *Create(AdminRequest());
  const store::Token kept = server_.store().Tokens()->at(0);
  EXPECT_EQ(kept.what.hash, Sha256Hex(made.secret()));
  pb::ListTokensReply listed;
  ASSERT_TRUE(stub_->List(ContextWithDeadline(made.secret()).get(), {}, &listed).ok());
  ASSERT_EQ(listed.tokens_size(), 1);
  EXPECT_EQ(listed.tokens(0).name(), "ops");
  EXPECT_EQ(listed.SerializeAsString().find(made.secret().substr(16)), std::string::npos);
}

TEST_F(TokenServiceTest, ATokenOfATeamNamesItsNamespaces) {
  admin_ = Create(AdminRequest())->secret();
  pb::CreateTokenRequest request = AdminRequest("ci");
  request.set_role(pb::TOKEN_ROLE_SUBMITTER);
  EXPECT_THAT(RefusalOf(request), HasSubstr("name some or say all"));
  request.add_namespaces("vision");
  const auto made = Create(request, admin_);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_FALSE(made->token().all_namespaces());
  EXPECT_THAT(made->token().namespaces(), ElementsAre("vision"));
  request.set_all_namespaces(true);
  EXPECT_THAT(RefusalOf(request), HasSubstr("name some or say all"));
  request.clear_namespaces();
  EXPECT_TRUE(Create(request, admin_)->token().all_namespaces());
  request.set_all_namespaces(false);
  for (size_t i = 0; i < limits::kTokenNamespaces; ++i) request.add_namespaces("n");
  EXPECT_TRUE(Create(request, admin_).ok());
  request.add_namespaces("n");
  EXPECT_THAT(RefusalOf(request), HasSubstr("more than 64"));
}

TEST_F(TokenServiceTest, WhatCannotBeIsRefusedByName) {
  admin_ = Create(AdminRequest())->secret();
  EXPECT_THAT(RefusalOf(AdminRequest("")), HasSubstr("name"));
  EXPECT_THAT(RefusalOf(AdminRequest("two words")), HasSubstr("two words"));
  EXPECT_THAT(RefusalOf(AdminRequest(std::string(limits::kNameBytes + 1, 'a'))), HasSubstr("name"));
  pb::CreateTokenRequest request = AdminRequest();
  request.clear_role();
  EXPECT_THAT(RefusalOf(request), HasSubstr("role"));
  request = AdminRequest();
  request.add_namespaces("vision");
  EXPECT_THAT(RefusalOf(request), HasSubstr("whole server"));
  request = AdminRequest();
  request.set_lifetime_seconds(limits::kTokenLifetimeSeconds);
  EXPECT_TRUE(Create(request, admin_).ok());
  for (const int64_t seconds : {limits::kTokenLifetimeSeconds + 1, int64_t{-1}}) {
    request.set_lifetime_seconds(seconds);
    EXPECT_THAT(RefusalOf(request), HasSubstr("lifetime"));
  }
  EXPECT_TRUE(absl::IsInvalidArgument(Revoke("3", admin_).status()));
  EXPECT_TRUE(absl::IsNotFound(Revoke("t99", admin_).status()));
}

TEST_F(TokenServiceTest, RevokingEndsTheStreamsOfTheTokenAndNoOthers) {
  admin_ = server_.MakeToken(store::Role::kAdmin);
  const std::string token = server_.MakeToken(store::Role::kAgent);
  const std::string other = server_.MakeToken(store::Role::kAgent);
  FakeAgent agent(server_, token);
  FakeAgent kept(server_, other);
  ASSERT_TRUE(agent.Send(FakeAgent::Hello("a")));
  ASSERT_TRUE(agent.Receive().has_value());
  ASSERT_TRUE(kept.Send(FakeAgent::Hello("b")));
  ASSERT_TRUE(kept.Receive().has_value());
  ASSERT_TRUE(Revoke("t2", admin_).ok());
  const absl::Status ended = agent.Status();
  EXPECT_TRUE(absl::IsUnauthenticated(ended)) << ended;
  EXPECT_THAT(ended.message(), HasSubstr("was revoked"));
  pb::AgentMessage heartbeat;
  heartbeat.mutable_heartbeat()->set_sequence(1);
  ASSERT_TRUE(kept.Send(heartbeat));
  EXPECT_TRUE(kept.Receive().has_value());
  EXPECT_TRUE(kept.Leave().ok());
}

TEST_F(TokenServiceTest, AWatchersStreamEndsWithItsToken) {
  const std::string admin = server_.MakeToken(store::Role::kAdmin, absl::Hours(2));
  const std::string viewer = server_.MakeToken(store::Role::kViewer);
  FakeAgent agent(server_, admin);  // a job needs a device
  ASSERT_TRUE(agent.Send(FakeAgent::Hello()));
  ASSERT_TRUE(agent.Receive().has_value());
  pb::SubmitRequest job = ToyJob();
  job.set_namespace_("own");
  pb::SubmitReply submitted;
  const auto stub = server_.NewJobStub();
  ASSERT_TRUE(stub->Submit(ContextWithDeadline(admin).get(), job, &submitted).ok());
  pb::WatchRequest request;
  request.set_namespace_("own");
  request.set_job_id(submitted.job_id());
  const auto context = ContextWithDeadline(viewer);
  const auto reader = stub->Watch(context.get(), request);
  pb::JobSnapshot snapshot;
  ASSERT_TRUE(reader->Read(&snapshot));
  server_.admission().CheckStreams();
  server_.clock().Advance(absl::Hours(1));
  server_.admission().CheckStreams();
  while (reader->Read(&snapshot)) {
  }
  const grpc::Status ended = reader->Finish();
  EXPECT_EQ(ended.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_THAT(ended.error_message(), HasSubstr("expired"));
}

TEST_F(TokenServiceTest, StreamsWithoutATokenEndWhenTheFirstOneIsMade) {
  FakeAgent agent(server_);
  ASSERT_TRUE(agent.Send(FakeAgent::Hello()));
  ASSERT_TRUE(agent.Receive().has_value());
  ASSERT_TRUE(Create(AdminRequest()).ok());
  EXPECT_TRUE(absl::IsUnauthenticated(agent.Status()));
}

}  // namespace
}  // namespace burnish::rpc
