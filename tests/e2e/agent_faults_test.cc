// What can go wrong between agents and servers: another protocol, two agents with one id, a
// connection that is only half there.
#include <memory>

#include "absl/strings/str_cat.h"
#include "burnish/v1/agent_service.grpc.pb.h"
#include "common/base/diagnostic.h"
#include "common/base/numbers.h"
#include "common/base/version.h"
#include "common/net/channel.h"
#include "common/net/status.h"
#include "gmock/gmock.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"
#include "tests/e2e/jobs.h"
#include "tests/support/tcp_proxy.h"

namespace burnish::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class AgentFaultsTest : public ::testing::Test {
 protected:
  // An agent with a state folder of its own.
  Program Agent(const std::string& server, const std::string& id) {
    const std::string name = absl::StrCat(folder_.path(), "/agent-", id, "-", ++agents_);
    return {"burnish-agent",
            {"--server", server, "--state-dir", name, "--agent-id", id},
            name + ".log",
            {"BURNISH_LOG=debug"}};
  }
  static void ExpectRefusal(Program& agent, const ::testing::Matcher<std::string>& said) {
    const auto ended = agent.Wait(absl::Seconds(30));
    ASSERT_TRUE(ended.has_value()) << agent.Log();
    EXPECT_EQ(ended->code, 2);
    EXPECT_THAT(agent.Log(), said);
  }

  TemporaryFolder folder_;
  int agents_ = 0;
};

// A server of the future.
class NewerServer final : public v1::AgentService::Service {
 public:
  NewerServer() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  std::string address() const { return absl::StrCat("127.0.0.1:", port_); }

 private:
  using Stream = grpc::ServerReaderWriter<v1::ServerMessage, v1::AgentMessage>;
  grpc::Status Attach(grpc::ServerContext* context, Stream* stream) override {
    v1::AgentMessage hello;
    stream->Read(&hello);
    return net::ToGrpcStatus(DiagnosticStatus(
        absl::StatusCode::kFailedPrecondition,
        {.message = absl::StrCat("the agent speaks protocol version ", hello.hello().protocol(),
                                 ", this server protocol version 99"),
         .hint = "run burnish-agent and burnish-server of one version"}));
  }

  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(AgentFaultsTest, AnAgentThatAServerOfAnotherProtocolRefusesEndsAndSaysWhy) {
  const NewerServer server;
  Program agent = Agent(server.address(), "a");
  ExpectRefusal(agent, AllOf(HasSubstr(absl::StrCat("protocol version ", kAgentProtocol, ",")),
                             HasSubstr("protocol version 99"), HasSubstr("of one version")));
}

TEST_F(AgentFaultsTest, AServerRefusesAnAgentOfAnotherProtocolNamingBoth) {
  Farm farm(folder_);
  ASSERT_NO_FATAL_FAILURE(farm.StartServer());
  const auto stub =
      v1::AgentService::NewStub(*net::DialServer(*net::ParseServerAddress(farm.address()), {}));
  grpc::ClientContext context;
  const auto stream = stub->Attach(&context);
  v1::AgentMessage hello;
  hello.mutable_hello()->set_agent_id("a");
  stream->Write(hello);  // without a protocol version: older than that
  v1::ServerMessage answer;
  EXPECT_FALSE(stream->Read(&answer));
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(),
              AllOf(HasSubstr("protocol version 0"),
                    HasSubstr(absl::StrCat("protocol version ", kAgentProtocol))));
}

TEST_F(AgentFaultsTest, OfTwoAgentsWithOneIdTheNewerWins) {
  Farm farm(folder_);
  ASSERT_NO_FATAL_FAILURE(farm.StartServer());
  Program older = Agent(farm.address(), "a");
  ASSERT_TRUE(older.WaitForLine("\"event\":\"attached\"", absl::Seconds(30)).has_value());
  Program newer = Agent(farm.address(), "a");
  ExpectRefusal(older, HasSubstr("another agent with id a attached"));
  EXPECT_TRUE(newer.running()) << newer.Log();
}

TEST_F(AgentFaultsTest, TheNewerAgentWinsOnAnotherServerToo) {
  const auto postgres = tests::PostgresServer::Start();
  ASSERT_TRUE(postgres.ok()) << postgres.status();
  Farm farm(folder_, FarmDatabase(**postgres, "farm"));
  ASSERT_NO_FATAL_FAILURE(farm.StartServer());
  ASSERT_NO_FATAL_FAILURE(farm.StartServer({}, 1));
  Program older = Agent(farm.address(0), "a");
  ASSERT_TRUE(older.WaitForLine("\"event\":\"attached\"", absl::Seconds(30)).has_value());
  Program newer = Agent(farm.address(1), "a");
  ExpectRefusal(older, HasSubstr("another agent with id a attached"));
  EXPECT_TRUE(newer.running()) << newer.Log();
}

TEST_F(AgentFaultsTest, WorkBehindAHalfOpenConnectionIsGivenToAnotherAgent) {
  constexpr absl::Duration kLease = absl::Seconds(3);
  Farm farm(folder_);
  ASSERT_NO_FATAL_FAILURE(farm.StartServer({"--lease", "3"}));
  const std::string port = farm.address().substr(farm.address().rfind(':') + 1);
  tests::TcpProxy proxy(static_cast<int>(*ParseInteger(port)));
  Program behind = Agent(proxy.address(), "behind");
  ASSERT_TRUE(behind.WaitForLine("\"event\":\"attached\"", absl::Seconds(30)).has_value());
  const std::string job = WriteSmallJob(
      folder_, {.trials = 24,
                .modes = 12,
                .body = "  for (volatile int wait = 0; wait < 3000000; wait = wait + 1) {}\n"});
  const std::string job_id =
      Burnish({"submit", job, "--json", "--server", farm.address()}).Json()["job_id"];
  Program watch("burnish", {"watch", job_id, "--server", proxy.address()},
                folder_.path() + "/watch.log");
  ASSERT_TRUE(behind.WaitForLine("report_acknowledged", absl::Seconds(60)));
  Program other = Agent(farm.address(), "other");
  ASSERT_TRUE(other.WaitForLine("\"event\":\"attached\"", absl::Seconds(30)).has_value());

  // Both work for the task; a fence above 1 is work that somebody held before.
  const auto taken_over = [&] {
    return farm.database().Count(
        "SELECT count(*) FROM attempts WHERE agent_id = 'other' AND fence > 1");
  };
  ASSERT_EQ(taken_over(), 0);
  proxy.Freeze();
  EXPECT_TRUE(WaitUntil([&] { return taken_over() > 0; }, kLease + absl::Seconds(10)))
      << farm.server().Log();
  // Both sides give the connection up at the end of the lease, a moment after the takeover.
  EXPECT_TRUE(farm.server().WaitForLine("agent_detached", absl::Seconds(20)).has_value());
  proxy.Heal();
  const auto attached = [&] {
    const std::string log = behind.Log();
    const size_t first = log.find("\"event\":\"attached\"");
    return log.find("\"event\":\"attached\"", first + 1) != std::string::npos;
  };
  EXPECT_TRUE(WaitUntil(attached, absl::Seconds(20))) << behind.Log();
  const auto watched = watch.Wait(absl::Minutes(2));
  ASSERT_TRUE(watched.has_value()) << watch.Log();
  EXPECT_EQ(watched->code, 0) << watch.Log();
}

}  // namespace
}  // namespace burnish::e2e
