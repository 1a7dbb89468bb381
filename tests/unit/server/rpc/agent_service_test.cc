#include "server/rpc/agent_service.h"

#include <string>
#include <vector>

#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/rpc/rpc_fixture.h"

namespace burnish::rpc {
namespace {

using ::testing::HasSubstr;

pb::Welcome AttachAs(FakeAgent& agent, const pb::AgentMessage& hello = FakeAgent::Hello()) {
  EXPECT_TRUE(agent.Send(hello));
  const auto message = agent.Receive();
  EXPECT_TRUE(message.has_value() && message->has_welcome());
  return message.has_value() ? message->welcome() : pb::Welcome();
}

std::string Submit(RpcServer& server) {
  const auto context = ContextWithDeadline();
  pb::SubmitReply reply;
  const auto status = server.NewJobStub()->Submit(context.get(), ToyJob(), &reply);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return reply.job_id();
}

// The next assignment, after its task if that comes first.
pb::Assignment NextAssignment(FakeAgent& agent) {
  auto message = agent.Receive();
  if (message.has_value() && message->has_task()) {
    EXPECT_EQ(message->task().definition().stages(0).entry(), "toy");
    message = agent.Receive();
  }
  EXPECT_TRUE(message.has_value() && message->has_assignment());
  return message.has_value() ? message->assignment() : pb::Assignment();
}

pb::ReportAcknowledgement::Result Report(FakeAgent& agent, const pb::Assignment& assignment) {
  EXPECT_TRUE(agent.Send(FakeAgent::ReportOf(assignment)));
  const auto message = agent.Receive();
  EXPECT_TRUE(message.has_value() && message->has_acknowledgement());
  if (!message.has_value()) return pb::ReportAcknowledgement::RESULT_UNSPECIFIED;
  EXPECT_EQ(message->acknowledgement().attempt_id(), assignment.attempt_id());
  return message->acknowledgement().result();
}

pb::AgentMessage HeartbeatOf(int64_t sequence, const std::vector<pb::Assignment>& holding) {
  pb::AgentMessage message;
  message.mutable_heartbeat()->set_sequence(sequence);
  for (const pb::Assignment& assignment : holding) {
    pb::HeldAttempt& held = *message.mutable_heartbeat()->add_holding();
    held.set_attempt_id(assignment.attempt_id());
    held.set_work_item_id(assignment.work_item_id());
    held.set_fence(assignment.fence());
  }
  return message;
}

TEST(AgentService, CarriesAJobFromSubmissionToTheWinnerThatWatchersSee) {
  RpcServer server;
  FakeAgent agent(server);
  AttachAs(agent);
  const std::string job_id = Submit(server);

  const auto stub = server.NewJobStub();
  const auto context = ContextWithDeadline();
  pb::WatchRequest request;
  request.set_job_id(job_id);
  const auto watch = stub->Watch(context.get(), request);
  pb::JobSnapshot snapshot;
  ASSERT_TRUE(watch->Read(&snapshot));
  EXPECT_EQ(snapshot.state(), pb::STATE_QUEUED);

  for (int trial = 0; trial < 4; ++trial) {
    server.Advance();
    const pb::Assignment assignment = NextAssignment(agent);
    EXPECT_EQ(assignment.device_id(), "agent/cpu:0");
    ASSERT_TRUE(assignment.has_measure());
    EXPECT_EQ(Report(agent, assignment), pb::ReportAcknowledgement::RESULT_STORED);
  }
  server.Advance();
  const pb::Assignment comparison = NextAssignment(agent);
  ASSERT_TRUE(comparison.has_compare());
  EXPECT_EQ(Report(agent, comparison), pb::ReportAcknowledgement::RESULT_STORED);
  server.Advance();

  while (watch->Read(&snapshot)) {
  }
  EXPECT_TRUE(watch->Finish().ok());
  EXPECT_EQ(snapshot.state(), pb::STATE_DONE);
  ASSERT_EQ(snapshot.tasks_size(), 1);
  EXPECT_EQ(snapshot.tasks(0).trials(), 4);
  EXPECT_EQ(snapshot.tasks(0).device().device_id(), "agent/cpu:0");
  EXPECT_EQ(snapshot.tasks(0).best().configuration().settings(0).value().integer(), 1);
}

TEST(AgentService, TellsItsIntervalsInTheWelcome) {
  RpcServer server;
  FakeAgent agent(server);
  const pb::Welcome welcome = AttachAs(agent);
  EXPECT_FALSE(welcome.session_id().empty());
  EXPECT_EQ(welcome.heartbeat_interval_ms(), 5000);
  EXPECT_EQ(welcome.lease_ms(), 30'000);
}

TEST(AgentService, RenewsWhatAHeartbeatListsAndRevokesWhatIsLost) {
  RpcServer server;
  FakeAgent agent(server);
  AttachAs(agent);
  Submit(server);
  server.Advance();
  const pb::Assignment held = NextAssignment(agent);
  pb::Assignment foreign = held;
  foreign.set_attempt_id("unknown");
  ASSERT_TRUE(agent.Send(HeartbeatOf(7, {held, foreign})));
  const auto revoke = agent.Receive();
  ASSERT_TRUE(revoke.has_value() && revoke->has_revoke());
  EXPECT_EQ(revoke->revoke().attempt_id(), "unknown");
  const auto reply = agent.Receive();
  ASSERT_TRUE(reply.has_value() && reply->has_heartbeat_reply());
  EXPECT_EQ(reply->heartbeat_reply().sequence(), 7);
  ASSERT_EQ(reply->heartbeat_reply().renewed_attempt_ids_size(), 1);
  EXPECT_EQ(reply->heartbeat_reply().renewed_attempt_ids(0), held.attempt_id());
}

TEST(AgentService, AcknowledgesARepeatedReportAndOneOfAnUnknownAttempt) {
  RpcServer server;
  FakeAgent agent(server);
  AttachAs(agent);
  Submit(server);
  server.Advance();
  pb::Assignment assignment = NextAssignment(agent);
  EXPECT_EQ(Report(agent, assignment), pb::ReportAcknowledgement::RESULT_STORED);
  EXPECT_EQ(Report(agent, assignment), pb::ReportAcknowledgement::RESULT_DUPLICATE);
  assignment.set_attempt_id("of another database");
  EXPECT_EQ(Report(agent, assignment), pb::ReportAcknowledgement::RESULT_LATE);
}

TEST(AgentService, EndsTheOlderSessionOfAnAgentAndKeepsItsListedLeases) {
  RpcServer server;
  FakeAgent older(server);
  AttachAs(older);
  Submit(server);
  server.Advance();
  const pb::Assignment held = NextAssignment(older);

  FakeAgent newer(server);
  pb::AgentMessage hello = FakeAgent::Hello();
  *hello.mutable_hello()->mutable_holding() = HeartbeatOf(0, {held}).heartbeat().holding();
  const pb::Welcome welcome = AttachAs(newer, hello);
  ASSERT_EQ(welcome.keep_size(), 1);
  EXPECT_EQ(welcome.keep(0).attempt_id(), held.attempt_id());
  EXPECT_EQ(older.Status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(Report(newer, held), pb::ReportAcknowledgement::RESULT_STORED);
}

TEST(AgentService, QueuesTheWorkOfAnAgentThatSaysGoodbye) {
  RpcServer server;
  pb::Assignment first;
  {
    FakeAgent leaving(server);
    AttachAs(leaving);
    Submit(server);
    server.Advance();
    first = NextAssignment(leaving);
    EXPECT_TRUE(leaving.Leave().ok());
  }
  server.WaitUntil([&] { return !server.store().Devices()->front().live; });
  FakeAgent other(server);
  AttachAs(other, FakeAgent::Hello("other"));
  server.Advance();
  const pb::Assignment second = NextAssignment(other);
  EXPECT_EQ(second.work_item_id(), first.work_item_id());
  EXPECT_GT(second.fence(), first.fence());
}

TEST(AgentService, ClosesTheStreamOfASilentAgent) {
  RpcServer server;
  FakeAgent silent(server);
  AttachAs(silent);
  FakeAgent speaking(server);
  AttachAs(speaking, FakeAgent::Hello("speaking"));
  server.clock().Advance(kLease);
  server.agents().CloseSilentStreams();
  ASSERT_TRUE(speaking.Send(HeartbeatOf(1, {})));
  ASSERT_TRUE(speaking.Receive().has_value());
  server.clock().Advance(absl::Seconds(1));
  server.agents().CloseSilentStreams();
  EXPECT_EQ(silent.Status().code(), absl::StatusCode::kDeadlineExceeded);
  ASSERT_TRUE(speaking.Send(HeartbeatOf(2, {})));
  EXPECT_TRUE(speaking.Receive().has_value());
}

TEST(AgentService, KeepsTheLeasesOfAnAgentWhoseStreamBreaks) {
  RpcServer server;
  int changes = 0;
  {
    FakeAgent agent(server);
    AttachAs(agent);
    Submit(server);
    server.Advance();
    const pb::Assignment held = NextAssignment(agent);
    // After its answer nothing of what came before is still under way.
    ASSERT_TRUE(agent.Send(HeartbeatOf(1, {held})));
    ASSERT_TRUE(agent.Receive()->has_heartbeat_reply());
    changes = server.changes();
  }
  server.WaitForChange(changes);
  EXPECT_TRUE(server.store().Devices()->front().live);
  EXPECT_EQ(*server.store().RunningItems(Namespace("default"), {JobId(1), 1}), 1);
}

TEST(AgentService, CountsReportsAndWhatBecameOfThem) {
  RpcServer server;
  FakeAgent agent(server);
  AttachAs(agent);
  Submit(server);
  server.Advance();
  const pb::Assignment assignment = NextAssignment(agent);
  EXPECT_EQ(Report(agent, assignment), pb::ReportAcknowledgement::RESULT_STORED);
  EXPECT_EQ(Report(agent, assignment), pb::ReportAcknowledgement::RESULT_DUPLICATE);
  const std::string text = server.metrics().Text();
  EXPECT_THAT(text, HasSubstr("burnish_report_result_total{kind=\"stored\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("burnish_report_result_total{kind=\"duplicate\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("burnish_attempts_total{backend=\"cpu\",outcome=\"ok\"} 1\n"));
}

TEST(AgentService, EndsItsStreamsWhenTheServerStopsAndLeavesTheLeasesAlone) {
  RpcServer server;
  FakeAgent agent(server);
  AttachAs(agent);
  Submit(server);
  server.Advance();
  NextAssignment(agent);
  server.Stop();
  EXPECT_EQ(agent.Status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(*server.store().RunningItems(Namespace("default"), {JobId(1), 1}), 1);
}

TEST(AgentService, RefusesAnAgentOfAnotherProtocolVersionNamingBoth) {
  RpcServer server;
  FakeAgent agent(server);
  pb::AgentMessage hello = FakeAgent::Hello();
  hello.mutable_hello()->set_protocol(99);
  ASSERT_TRUE(agent.Send(hello));
  const absl::Status status = agent.Status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("protocol version 99"));
  EXPECT_THAT(status.message(), HasSubstr(absl::StrCat("protocol version ", kAgentProtocol)));
  EXPECT_TRUE(DiagnosticOf(status).has_value());
}

TEST(AgentService, EndsAStreamThatBreaksTheProtocolNamingWhatWasWrong) {
  const pb::AgentMessage hello = FakeAgent::Hello();
  pb::AgentMessage bad_hello = hello;
  bad_hello.mutable_hello()->mutable_devices(0)->clear_device_class();
  pb::AgentMessage bad_holding = hello;
  bad_holding.mutable_hello()->add_holding();
  pb::AgentMessage bad_id = hello;
  bad_id.mutable_hello()->set_agent_id("no/slashes");
  pb::AgentMessage bad_report;
  bad_report.mutable_report()->set_attempt_id("a");
  pb::AgentMessage bad_heartbeat = HeartbeatOf(1, {pb::Assignment()});
  const struct {
    std::vector<pb::AgentMessage> messages;
    const char* reason;
  } cases[] = {
      {{HeartbeatOf(1, {})}, "hello: has to be the first"},
      {{hello, hello}, "hello: sent twice"},
      {{hello, pb::AgentMessage()}, "kind missing"},
      {{bad_hello}, "device.device_class"},
      {{bad_holding}, "holding.attempt_id"},
      {{bad_id}, "agent id"},
      {{hello, bad_report}, "report.result"},
      {{hello, bad_heartbeat}, "holding.attempt_id"},
  };
  RpcServer server;
  for (const auto& bad : cases) {
    FakeAgent agent(server);
    for (const pb::AgentMessage& message : bad.messages) ASSERT_TRUE(agent.Send(message));
    const absl::Status status = agent.Status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad.reason;
    EXPECT_THAT(status.message(), HasSubstr(bad.reason));
  }
}

}  // namespace
}  // namespace burnish::rpc
