#include "server/rpc/call_metrics.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/rpc/rpc_fixture.h"

namespace burnish::rpc {
namespace {

using ::testing::HasSubstr;

std::string Handled(const char* service, const char* method, const char* code, int count) {
  return absl::StrCat("grpc_server_handled_total{grpc_code=\"", code, "\",grpc_method=\"", method,
                      "\",grpc_service=\"burnish.v1.", service, "\"} ", count, "\n");
}

// The status is counted before it is sent, so a client that has it can look.
TEST(CallMetrics, CountEveryKindOfCallByItsStatus) {
  RpcServer server;
  EXPECT_THAT(server.metrics().Text(), HasSubstr(Handled("JobService", "List", "OK", 0)));
  const auto stub = server.NewJobStub();
  pb::ListReply listed;
  EXPECT_TRUE(stub->List(ContextWithDeadline().get(), {}, &listed).ok());
  pb::SubmitReply submitted;  // answered later, by another thread; no device has its class
  EXPECT_FALSE(stub->Submit(ContextWithDeadline().get(), ToyJob(), &submitted).ok());
  pb::GetRequest get;
  get.set_job_id("j99");
  pb::JobSnapshot snapshot;
  EXPECT_FALSE(stub->Get(ContextWithDeadline().get(), get, &snapshot).ok());
  FakeAgent agent(server);
  EXPECT_TRUE(agent.Send(pb::AgentMessage()));
  EXPECT_FALSE(agent.Status().ok());

  const std::string text = server.metrics().Text();
  EXPECT_THAT(text, HasSubstr(Handled("JobService", "List", "OK", 1)));
  EXPECT_THAT(text, HasSubstr(Handled("JobService", "Submit", "FailedPrecondition", 1)));
  EXPECT_THAT(text, HasSubstr(Handled("JobService", "Get", "NotFound", 1)));
  EXPECT_THAT(text, HasSubstr(Handled("AgentService", "Attach", "InvalidArgument", 1)));
  EXPECT_THAT(text, HasSubstr("grpc_server_handling_seconds_count{grpc_method=\"Get\","
                              "grpc_service=\"burnish.v1.JobService\"} 1\n"));
}

TEST(CallMetrics, CountARefusalToo) {
  RpcServer server(auth::PolicyTable{});
  pb::ListReply reply;
  EXPECT_FALSE(server.NewJobStub()->List(ContextWithDeadline().get(), {}, &reply).ok());
  EXPECT_THAT(server.metrics().Text(),
              HasSubstr(Handled("JobService", "List", "PermissionDenied", 1)));
}

}  // namespace
}  // namespace burnish::rpc
