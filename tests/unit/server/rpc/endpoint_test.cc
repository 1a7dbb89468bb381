#include "server/rpc/endpoint.h"

#include "absl/synchronization/notification.h"
#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "grpcpp/generic/generic_stub.h"
#include "gtest/gtest.h"
#include "tests/unit/server/rpc/rpc_fixture.h"

namespace burnish::rpc {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<std::unique_ptr<Endpoint>> Listen(const net::ServerAddress& address) {
  static pb::JobService::CallbackService& service = *new pb::JobService::CallbackService;
  return Endpoint::Listen(address, {&service});
}

struct RawReply {
  grpc::Status status;
  std::string bytes;
};

// A call of a service whose messages are not compiled into this test.
RawReply RawCall(RpcServer& server, const std::string& method, const std::string& bytes) {
  grpc::GenericStub stub(server.channel());
  const auto context = ContextWithDeadline();
  const grpc::Slice slice(bytes);
  const grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer response;
  RawReply reply;
  absl::Notification done;
  stub.UnaryCall(context.get(), method, {}, &request, &response, [&](grpc::Status status) {
    reply.status = std::move(status);
    done.Notify();
  });
  done.WaitForNotification();
  grpc::Slice joined;
  if (reply.status.ok() && response.DumpToSingleSlice(&joined).ok()) {
    reply.bytes.assign(reinterpret_cast<const char*>(joined.begin()), joined.size());
  }
  return reply;
}

// grpc.health.v1.HealthCheckResponse.status, field 1: 1 SERVING, 2 NOT_SERVING.
constexpr char kServing[] = "\x08\x01";
constexpr char kNotServing[] = "\x08\x02";

std::string Health(RpcServer& server, const std::string& service) {
  std::string request;
  if (!service.empty()) request = std::string{'\x0a', static_cast<char>(service.size())} + service;
  const RawReply reply = RawCall(server, "/grpc.health.v1.Health/Check", request);
  EXPECT_TRUE(reply.status.ok()) << service << ": " << reply.status.error_message();
  return reply.bytes;
}

TEST(Endpoint, AnswersHealthChecksOfTheServerAndOfEachService) {
  RpcServer server;
  for (const char* service : {"", "burnish.v1.JobService", "burnish.v1.AgentService"}) {
    EXPECT_EQ(Health(server, service), kNotServing);
    server.endpoint().SetServing(true);
    EXPECT_EQ(Health(server, service), kServing);
    server.endpoint().SetServing(false);
    EXPECT_EQ(Health(server, service), kNotServing);
  }
}

TEST(Endpoint, DescribesItsServicesOnlyWhereAllowed) {
  constexpr char kMethod[] = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
  const std::string list_services("\x3a\x00", 2);  // field 7, empty
  RpcServer closed;
  EXPECT_EQ(RawCall(closed, kMethod, list_services).status.error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
  RpcServer open(auth::DefaultPolicy(), {}, /*reflection=*/true);
  const RawReply reply = RawCall(open, kMethod, list_services);
  EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
  EXPECT_THAT(reply.bytes, HasSubstr("burnish.v1.JobService"));
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
