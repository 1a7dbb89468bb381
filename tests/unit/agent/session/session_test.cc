// The session against a scripted server in this process: each attach is served by the next
// function that the test gives, further ones by the last.
#include "agent/session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "common/base/diagnostic.h"
#include "common/base/hash.h"
#include "common/base/version.h"
#include "common/net/status.h"
#include "common/wire/task.h"
#include "common/wire/work_item.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "tests/unit/agent/executor/scripted_worker.h"
#include "tests/unit/agent/session/temporary_journal.h"

namespace burnish::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const grpc::Status kBroken(grpc::StatusCode::UNAVAILABLE, "the server restarts");

// The server's side of one stream.
class ServerStream {
 public:
  explicit ServerStream(grpc::ServerReaderWriter<v1::ServerMessage, v1::AgentMessage>& stream)
      : stream_(stream) {}

  // The next message; nothing once the agent said goodbye or broke the stream.
  std::optional<v1::AgentMessage> Read() {
    v1::AgentMessage message;
    if (!stream_.Read(&message)) return std::nullopt;
    return message;
  }
  v1::Hello ReadHello() {
    const auto message = Read();
    EXPECT_TRUE(message && message->has_hello());
    return message ? message->hello() : v1::Hello();
  }
  // Skips what is not of the kind wanted.
  v1::Heartbeat ReadHeartbeat() {
    while (const auto message = Read()) {
      if (message->has_heartbeat()) return message->heartbeat();
    }
    ADD_FAILURE() << "the stream ended without a heartbeat";
    return {};
  }
  v1::ReportMessage ReadReport() {
    while (const auto message = Read()) {
      if (message->has_report()) return message->report();
    }
    ADD_FAILURE() << "the stream ended without a report";
    return {};
  }
  v1::CanaryReport ReadCanary() {
    while (const auto message = Read()) {
      if (message->has_canary()) return message->canary();
    }
    ADD_FAILURE() << "the stream ended without a canary report";
    return {};
  }
  v1::RoofsReport ReadRoofs() {
    while (const auto message = Read()) {
      if (message->has_roofs()) return message->roofs();
    }
    ADD_FAILURE() << "the stream ended without a report of roofs";
    return {};
  }

  void Welcome(const std::vector<std::string>& keep, int64_t lease_ms = 30'000) {
    v1::ServerMessage message;
    v1::Welcome& welcome = *message.mutable_welcome();
    welcome.set_session_id("session");
    welcome.set_heartbeat_interval_ms(5);
    welcome.set_lease_ms(lease_ms);
    for (const std::string& id : keep) welcome.add_keep()->set_attempt_id(id);
    stream_.Write(message);
  }
  void Assign(int number, const work::TaskDefinition& definition = TestTask(false)) {
    v1::ServerMessage task;
    task.mutable_task()->set_task_hash("task");
    *task.mutable_task()->mutable_definition() = wire::ToProto(definition);
    stream_.Write(task);
    v1::ServerMessage assignment;
    *assignment.mutable_assignment() = wire::ToProto(TestAssignment(number));
    stream_.Write(assignment);
  }
  void Acknowledge(const std::string& attempt) {
    v1::ServerMessage message;
    message.mutable_acknowledgement()->set_attempt_id(attempt);
    message.mutable_acknowledgement()->set_result(v1::ReportAcknowledgement::RESULT_STORED);
    stream_.Write(message);
  }
  void RequestCanary() {
    v1::ServerMessage message;
    message.mutable_canary_request()->set_device_id("agent/cpu:0");
    stream_.Write(message);
  }
  void Revoke(const std::string& attempt) {
    v1::ServerMessage message;
    message.mutable_revoke()->set_attempt_id(attempt);
    stream_.Write(message);
  }

 private:
  grpc::ServerReaderWriter<v1::ServerMessage, v1::AgentMessage>& stream_;
};

using Script = std::function<grpc::Status(ServerStream&)>;
using FetchScript = std::function<grpc::Status(const v1::FetchRequest&, v1::FetchReply&)>;

class ScriptedServer : public v1::AgentService::Service {
 public:
  ScriptedServer(std::vector<Script> scripts, FetchScript fetch)
      : scripts_(std::move(scripts)), fetch_(std::move(fetch)) {
    grpc::ServerBuilder builder;
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~ScriptedServer() override { server_->Shutdown(absl::ToChronoTime(absl::Now())); }

  // The `authorization` of each attach; for when the session has ended.
  const std::vector<std::string>& tokens() const { return tokens_; }

  std::shared_ptr<grpc::Channel> Dial() { return server_->InProcessChannel({}); }

  grpc::Status Attach(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<v1::ServerMessage, v1::AgentMessage>* stream) override {
    const auto token = context->client_metadata().find("authorization");
    tokens_.push_back(token == context->client_metadata().end()
                          ? "none"
                          : std::string(token->second.data(), token->second.size()));
    ServerStream server_stream(*stream);
    return scripts_[std::min(attaches_++, scripts_.size() - 1)](server_stream);
  }
  grpc::Status Fetch(grpc::ServerContext* context, const v1::FetchRequest* request,
                     v1::FetchReply* reply) override {
    return fetch_(*request, *reply);
  }

 private:
  const std::vector<Script> scripts_;
  const FetchScript fetch_;
  std::atomic<size_t> attaches_ = 0;
  std::vector<std::string> tokens_;  // one attach at a time
  std::unique_ptr<grpc::Server> server_;
};

std::vector<std::string> Ids(const google::protobuf::RepeatedPtrField<v1::HeldAttempt>& holding) {
  std::vector<std::string> ids;
  for (const v1::HeldAttempt& held : holding) ids.push_back(held.attempt_id());
  return ids;
}

class SessionTest : public ::testing::Test {
 protected:
  // Runs a session through the scripts; the last one says when it is over.
  absl::Status Run(std::vector<Script> scripts, SessionOptions options = {}) {
    ScriptedServer server(std::move(scripts), fetch_);
    ExecutorOptions executor_options;
    executor_options.agent = AgentId("agent");
    executor_options.devices = {TestDevice("cpu")};
    ControlWatch control(AgentId("agent"), controlled_, wakeup_);
    RoofsWatch roofs(AgentId("agent"), roofed_, RoofsCache(journal_.folder()), wakeup_);
    Executor executor(
        executor_options, worker_.Factory(), SystemClock(),
        [this](const DeviceId&, const work::Report& report) { outbox_->Add(report); });
    options.agent = AgentId("agent");
    options.version = "1.2.3";
    options.devices = {TestDevice("cpu")};
    options.blob_folder = journal_.folder();
    options.backoff = {.first = absl::Milliseconds(1), .longest = absl::Milliseconds(1)};
    Session session(options, server.Dial(), executor, *outbox_, control, roofs, wakeup_,
                    SystemClock());
    const absl::Status status = session.Run(stop_.get_token());
    tokens_ = server.tokens();
    return status;
  }
  // Ends the session in order; what the agent still sends is dropped.
  grpc::Status Finish(ServerStream& stream) {
    stop_.request_stop();
    while (stream.Read()) {
    }
    return grpc::Status::OK;
  }
  void HangRuns() {
    worker_.measure = [this](const MeasureOrder&, const CallLimits& limits) {
      running_.Notify();
      const absl::Status status = HangUntilStopped(limits);
      stopped_.Notify();
      return status;
    };
  }

  std::vector<std::string> tokens_;  // that were shown to the server
  WorkerScript worker_;
  FetchScript fetch_;
  TemporaryJournal journal_;
  Wakeup wakeup_;
  std::unique_ptr<ReportOutbox> outbox_ = journal_.OpenOutbox(wakeup_);
  // Of no device, but for the tests that are about it.
  std::vector<work::DeviceInfo> controlled_;
  std::vector<work::DeviceInfo> roofed_;
  std::stop_source stop_;
  absl::Notification running_;
  absl::Notification stopped_;
};

TEST_F(SessionTest, TheHelloSaysWhatTheAgentIsAndHas) {
  v1::Hello hello;
  const absl::Status status = Run({[&](ServerStream& stream) {
    hello = stream.ReadHello();
    stream.Welcome({});
    return Finish(stream);
  }});
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(hello.agent_id(), "agent");
  EXPECT_EQ(hello.version(), "1.2.3");
  EXPECT_EQ(hello.prefetch(), 4);
  ASSERT_EQ(hello.devices_size(), 1);
  EXPECT_EQ(hello.devices(0).device_class(), "test silicon");
  EXPECT_THAT(hello.holding(), IsEmpty());
}

TEST_F(SessionTest, ARefusedTokenIsReadAnewForTheNextTry) {
  SessionOptions options;
  int reads = 0;
  options.token = [&]() -> absl::StatusOr<std::string> {
    if (++reads == 2) return absl::NotFoundError("just being replaced");
    return reads == 1 ? "old" : "new";
  };
  const Script refuses = [](ServerStream& stream) {
    return grpc::Status(grpc::StatusCode::UNAUTHENTICATED, "revoked");
  };
  const Script takes = [this](ServerStream& stream) {
    stream.ReadHello();
    stream.Welcome({});
    return Finish(stream);
  };
  const absl::Status status = Run({refuses, refuses, takes}, options);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(tokens_, ElementsAre("Bearer old", "none", "Bearer new"));
}

TEST_F(SessionTest, TheMetricSaysWhetherItIsConnected) {
  telemetry::Metrics metrics;
  SessionOptions options;
  options.connected = metrics.NewGauge(telemetry::kAgentConnected);
  std::string unwelcomed, connected;
  const absl::Status status = Run({[&](ServerStream& stream) {
                                     stream.ReadHello();
                                     stream.Welcome({});
                                     stream.ReadHeartbeat();
                                     connected = metrics.Text();
                                     return kBroken;
                                   },
                                   [&](ServerStream& stream) {
                                     stream.ReadHello();
                                     unwelcomed = metrics.Text();
                                     return Finish(stream);
                                   }},
                                  options);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(connected, HasSubstr("burnish_agent_connected 1\n"));
  EXPECT_THAT(unwelcomed, HasSubstr("burnish_agent_connected 0\n"));
}

TEST_F(SessionTest, AnAssignmentIsCarriedOutAndReportedUntilAcknowledged) {
  v1::ReportMessage report;
  std::vector<std::string> held_before, held_after;
  Run({[&](ServerStream& stream) {
    stream.ReadHello();
    stream.Welcome({});
    stream.Assign(7);
    report = stream.ReadReport();
    held_before = Ids(stream.ReadHeartbeat().holding());
    stream.Acknowledge("attempt-7");
    // Heartbeats under way may still list it.
    do {
      held_after = Ids(stream.ReadHeartbeat().holding());
    } while (!held_after.empty());
    return Finish(stream);
  }}).IgnoreError();
  EXPECT_EQ(report.attempt_id(), "attempt-7");
  EXPECT_EQ(report.work_item_id(), 107);
  EXPECT_EQ(report.fence(), 7);
  EXPECT_EQ(report.measurement().outcome(), v1::OUTCOME_OK);
  EXPECT_THAT(held_before, ElementsAre("attempt-7"));
}

TEST_F(SessionTest, AReportIsSentAgainOnEveryStreamUntilItIsAcknowledged) {
  std::vector<std::string> held_second, held_third;
  int reports_on_third = 0;
  Run({
          [&](ServerStream& stream) {
            stream.ReadHello();
            stream.Welcome({});
            stream.Assign(1);
            stream.ReadReport();
            return kBroken;
          },
          [&](ServerStream& stream) {
            held_second = Ids(stream.ReadHello().holding());
            stream.Welcome({"attempt-1"});
            EXPECT_EQ(stream.ReadReport().attempt_id(), "attempt-1");
            stream.Acknowledge("attempt-1");
            while (!stream.ReadHeartbeat().holding().empty()) {
            }
            return kBroken;
          },
          [&](ServerStream& stream) {
            held_third = Ids(stream.ReadHello().holding());
            stream.Welcome({});
            for (int heartbeats = 0; heartbeats < 2;) {
              const auto message = stream.Read();
              if (!message) break;
              if (message->has_report()) ++reports_on_third;
              if (message->has_heartbeat()) ++heartbeats;
            }
            return Finish(stream);
          },
      })
      .IgnoreError();
  EXPECT_THAT(held_second, ElementsAre("attempt-1"));
  EXPECT_THAT(held_third, IsEmpty());
  EXPECT_EQ(reports_on_third, 0);
}

TEST_F(SessionTest, AReportIsSentOncePerStream) {
  int reports = 0;
  Run({[&](ServerStream& stream) {
    stream.ReadHello();
    stream.Welcome({});
    stream.Assign(1);
    for (int heartbeats = 0; heartbeats < 5;) {
      const auto message = stream.Read();
      if (!message) break;
      if (message->has_report()) ++reports;
      if (reports > 0 && message->has_heartbeat()) ++heartbeats;
    }
    return Finish(stream);
  }}).IgnoreError();
  EXPECT_EQ(reports, 1);
}

TEST_F(SessionTest, WorkThatTheServerKeepsSurvivesABrokenStream) {
  absl::Notification go_on;
  worker_.measure = [&](const MeasureOrder&, const CallLimits&) {
    running_.Notify();
    go_on.WaitForNotification();
    return MeasuredOk();
  };
  std::vector<std::string> held;
  v1::ReportMessage report;
  Run({
          [&](ServerStream& stream) {
            stream.ReadHello();
            stream.Welcome({});
            stream.Assign(1);
            running_.WaitForNotification();
            return kBroken;
          },
          [&](ServerStream& stream) {
            held = Ids(stream.ReadHello().holding());
            stream.Welcome({"attempt-1"});
            go_on.Notify();
            report = stream.ReadReport();
            return Finish(stream);
          },
      })
      .IgnoreError();
  EXPECT_THAT(held, ElementsAre("attempt-1"));
  EXPECT_EQ(report.measurement().outcome(), v1::OUTCOME_OK);
}

TEST_F(SessionTest, WorkThatTheServerDoesNotKeepIsKilled) {
  HangRuns();
  Run({
          [&](ServerStream& stream) {
            stream.ReadHello();
            stream.Welcome({});
            stream.Assign(1);
            running_.WaitForNotification();
            return kBroken;
          },
          [&](ServerStream& stream) {
            EXPECT_THAT(Ids(stream.ReadHello().holding()), ElementsAre("attempt-1"));
            stream.Welcome({});
            stopped_.WaitForNotification();
            EXPECT_THAT(stream.ReadHeartbeat().holding(), IsEmpty());
            return Finish(stream);
          },
      })
      .IgnoreError();
}

TEST_F(SessionTest, ARevokedAttemptIsKilledAndForgotten) {
  HangRuns();
  Run({[&](ServerStream& stream) {
    stream.ReadHello();
    stream.Welcome({});
    stream.Assign(1);
    running_.WaitForNotification();
    stream.Revoke("attempt-1");
    stopped_.WaitForNotification();
    while (!stream.ReadHeartbeat().holding().empty()) {
    }
    return Finish(stream);
  }}).IgnoreError();
}

TEST_F(SessionTest, AReportIsSentThoughItsAttemptIsRevoked) {
  std::vector<std::string> held;
  Run({
          [&](ServerStream& stream) {
            stream.ReadHello();
            stream.Welcome({});
            stream.Assign(1);
            stream.ReadReport();
            stream.Revoke("attempt-1");
            stream.ReadHeartbeat();
            return kBroken;
          },
          [&](ServerStream& stream) {
            held = Ids(stream.ReadHello().holding());
            stream.Welcome({});
            EXPECT_EQ(stream.ReadReport().attempt_id(), "attempt-1");
            return Finish(stream);
          },
      })
      .IgnoreError();
  EXPECT_THAT(held, ElementsAre("attempt-1"));
}

TEST_F(SessionTest, ReportsOfAnEarlierLifeAreHeldAndSent) {
  outbox_->Add(ReportOf("of an earlier life"));
  outbox_.reset();
  outbox_ = journal_.OpenOutbox(wakeup_);
  v1::Hello hello;
  v1::ReportMessage report;
  Run({[&](ServerStream& stream) {
    hello = stream.ReadHello();
    stream.Welcome({"of an earlier life"});
    report = stream.ReadReport();
    return Finish(stream);
  }}).IgnoreError();
  EXPECT_THAT(Ids(hello.holding()), ElementsAre("of an earlier life"));
  EXPECT_EQ(hello.holding(0).work_item_id(), 1);
  EXPECT_EQ(hello.holding(0).fence(), 1);
  EXPECT_EQ(report.attempt_id(), "of an earlier life");
}

TEST_F(SessionTest, WhileReportsPileUpTheDevicesAreUnavailable) {
  outbox_.reset();
  outbox_ = journal_.OpenOutbox(wakeup_, {.max_reports = 2});
  outbox_->Add(ReportOf("a"));
  std::vector<std::string> reasons;
  const auto read_hello = [&](ServerStream& stream) {
    reasons.push_back(stream.ReadHello().devices(0).unavailable_reason());
    stream.Welcome({});
  };
  Run({
          [&](ServerStream& stream) {
            read_hello(stream);
            stream.Assign(1);
            while (stream.Read()) {
            }
            return grpc::Status::OK;
          },
          [&](ServerStream& stream) {
            read_hello(stream);
            EXPECT_EQ(stream.ReadReport().attempt_id(), "a");
            stream.Acknowledge("a");
            while (stream.Read()) {
            }
            return grpc::Status::OK;
          },
          [&](ServerStream& stream) {
            read_hello(stream);
            return Finish(stream);
          },
      })
      .IgnoreError();
  EXPECT_THAT(reasons, ElementsAre("", ::testing::HasSubstr("journal of results is full"), ""));
}

TEST_F(SessionTest, CanariesComeAtTheStartOnRequestAndTheNewestOnEveryStream) {
  controlled_ = {TestDevice("cpu")};
  std::atomic<int> runs = 0;
  worker_.measure = [&](const MeasureOrder&, const CallLimits&) {
    work::Measurement measurement = MeasuredOk();
    measurement.message = ++runs == 1 ? "first" : "second";
    return measurement;
  };
  std::vector<std::string> canaries;
  const auto read_canary = [&](ServerStream& stream) {
    const v1::CanaryReport canary = stream.ReadCanary();
    EXPECT_EQ(canary.device_id(), "agent/cpu:0");
    EXPECT_EQ(canary.measurement().outcome(), v1::OUTCOME_OK);
    canaries.push_back(canary.measurement().message());
  };
  Run({
          [&](ServerStream& stream) {
            EXPECT_THAT(stream.ReadHello().holding(), IsEmpty());
            stream.Welcome({});
            read_canary(stream);
            stream.RequestCanary();
            read_canary(stream);
            return kBroken;
          },
          [&](ServerStream& stream) {
            stream.ReadHello();
            stream.Welcome({});
            read_canary(stream);
            return Finish(stream);
          },
      })
      .IgnoreError();
  EXPECT_THAT(canaries, ElementsAre("first", "second", "second"));
}

TEST_F(SessionTest, RoofsAreSentWhenTheyAreMeasuredAndThenWithEveryHello) {
  roofed_ = {TestDevice("cpu")};
  absl::Notification attached;
  worker_.measure_roofs = [&](const RoofOrder& order, const CallLimits&) {
    EXPECT_EQ(order.backend, "cpu");
    attached.WaitForNotification();
    work::Roofs roofs;
    roofs.peaks = {{.dtype = "f32", .threads = 1, .operations_per_second = 1e9}};
    roofs.bandwidths = {{.level = "memory", .threads = 1, .bytes_per_second = 1e8}};
    return roofs;
  };
  const absl::Status status = Run({
      [&](ServerStream& stream) {
        EXPECT_EQ(stream.ReadHello().devices(0).roofs().absence(), "they are being measured");
        stream.Welcome({});
        attached.Notify();
        const v1::RoofsReport report = stream.ReadRoofs();
        EXPECT_EQ(report.device_id(), "agent/cpu:0");
        EXPECT_EQ(report.roofs().peaks(0).operations_per_second(), 1e9);
        return kBroken;
      },
      [&](ServerStream& stream) {
        EXPECT_EQ(stream.ReadHello().devices(0).roofs().peaks(0).dtype(), "f32");
        stream.Welcome({});
        return Finish(stream);
      },
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(SessionTest, AcknowledgementsBehindTheGoodbyeCount) {
  Run({[&](ServerStream& stream) {
    stream.ReadHello();
    stream.Welcome({});
    stream.Assign(1);
    stream.ReadReport();
    stop_.request_stop();
    while (stream.Read()) {
    }
    stream.Acknowledge("attempt-1");
    return grpc::Status::OK;
  }}).IgnoreError();
  EXPECT_THAT(outbox_->Holding(), IsEmpty());
}

TEST_F(SessionTest, TheOlderOfTwoAgentsWithOneIdEnds) {
  const absl::Status status = Run({[&](ServerStream& stream) {
    stream.ReadHello();
    stream.Welcome({});
    return grpc::Status(grpc::StatusCode::ABORTED, "a newer session took over");
  }});
  EXPECT_TRUE(absl::IsAborted(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              ::testing::HasSubstr("another agent with id agent attached"));
}

TEST_F(SessionTest, AnAgentOfAnotherProtocolThanTheServersEnds) {
  const absl::Status refusal = DiagnosticStatus(
      absl::StatusCode::kFailedPrecondition, {.message = "protocol version 1, not 2", .hint = ""});
  const absl::Status status = Run({[&](ServerStream& stream) {
    EXPECT_EQ(stream.ReadHello().protocol(), kAgentProtocol);
    return net::ToGrpcStatus(refusal);
  }});
  EXPECT_EQ(status, refusal);
}

TEST_F(SessionTest, AStopKillsTheWorkAndSaysGoodbyeInOrder) {
  HangRuns();
  bool goodbye = false;
  const absl::Status status = Run({[&](ServerStream& stream) {
    stream.ReadHello();
    stream.Welcome({});
    stream.Assign(1);
    running_.WaitForNotification();
    stop_.request_stop();
    while (stream.Read()) {
    }
    goodbye = stopped_.WaitForNotificationWithTimeout(absl::Seconds(30));
    return grpc::Status::OK;
  }});
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_TRUE(goodbye);
}

TEST_F(SessionTest, AServerThatDoesNotBeginWithAWelcomeIsDialledAgain) {
  SessionOptions options;
  options.welcome_timeout = absl::Milliseconds(20);
  int served = 0;
  const absl::Status status = Run({
                                      [&](ServerStream& stream) {  // silent
                                        while (stream.Read()) {
                                        }
                                        ++served;
                                        return grpc::Status::OK;
                                      },
                                      [&](ServerStream& stream) {
                                        stream.Acknowledge("before the welcome");
                                        while (stream.Read()) {
                                        }
                                        ++served;
                                        return grpc::Status::OK;
                                      },
                                      [&](ServerStream& stream) {
                                        stream.ReadHello();
                                        stream.Welcome({});
                                        return Finish(stream);
                                      },
                                  },
                                  options);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(served, 2);
}

TEST_F(SessionTest, AServerThatFallsSilentIsDialledAgain) {
  const absl::Status status = Run({
      [&](ServerStream& stream) {
        stream.ReadHello();
        stream.Welcome({}, /*lease_ms=*/20);
        while (stream.Read()) {
        }
        return grpc::Status::OK;
      },
      [&](ServerStream& stream) {
        stream.ReadHello();
        stream.Welcome({});
        return Finish(stream);
      },
  });
  EXPECT_TRUE(status.ok()) << status;
}

work::TaskDefinition TaskOf(const std::string& content) {
  work::TaskDefinition definition = TestTask(false);
  definition.stages[0].source.file = "big.cc";
  definition.stages[0].source.blob = BlobHash(Sha256Hex(content));
  return definition;
}

TEST_F(SessionTest, ContentIsFetchedBesideTheStreamWhileTheAttemptIsHeld) {
  const std::string content = "big, so to say";
  absl::Notification go_on;
  fetch_ = [&](const v1::FetchRequest& request, v1::FetchReply& reply) {
    EXPECT_EQ(request.sha256(), Sha256Hex(content));
    go_on.WaitForNotification();
    reply.set_size_bytes(static_cast<int64_t>(content.size()));
    reply.set_data(content.substr(static_cast<size_t>(request.offset())));
    return grpc::Status::OK;
  };
  std::string compiled;
  worker_.compile = [&](const CompileOrder& order, const CallLimits&) {
    compiled = order.task->stages[0].source.text;
    return CompiledOk(order);
  };
  std::vector<std::string> held;
  v1::ReportMessage report;
  Run({[&](ServerStream& stream) {
    stream.ReadHello();
    stream.Welcome({});
    stream.Assign(7, TaskOf(content));
    while (held.empty()) held = Ids(stream.ReadHeartbeat().holding());
    go_on.Notify();
    report = stream.ReadReport();
    return Finish(stream);
  }}).IgnoreError();
  EXPECT_THAT(held, ElementsAre("attempt-7"));
  EXPECT_EQ(report.measurement().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(compiled, content);
}

TEST_F(SessionTest, ContentThatCannotBeFetchedIsInfrastructureAndSaysWhy) {
  fetch_ = [](const v1::FetchRequest&, v1::FetchReply&) {
    return grpc::Status(grpc::StatusCode::NOT_FOUND, "there is no such blob");
  };
  v1::ReportMessage report;
  Run({[&](ServerStream& stream) {
    stream.ReadHello();
    stream.Welcome({});
    stream.Assign(7, TaskOf("gone"));
    report = stream.ReadReport();
    return Finish(stream);
  }}).IgnoreError();
  EXPECT_EQ(report.measurement().outcome(), v1::OUTCOME_INFRASTRUCTURE);
  EXPECT_EQ(report.measurement().message(), "fetching big.cc: there is no such blob");
}

}  // namespace
}  // namespace burnish::agent
