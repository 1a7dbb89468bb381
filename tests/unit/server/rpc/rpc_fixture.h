// A whole server in the test's process: real gRPC on a unix socket, the real services, dispatcher
// and job runner over a store in memory, and a clock that the test moves. What loops do in the
// program happens here when the test calls Advance().
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "burnish/v1/agent_service.grpc.pb.h"
#include "burnish/v1/job_service.grpc.pb.h"
#include "common/base/clock.h"
#include "common/base/version.h"
#include "common/net/channel.h"
#include "common/net/status.h"
#include "gtest/gtest.h"
#include "server/auth/authorizer.h"
#include "server/auth/token_text.h"
#include "server/dispatch/dispatcher.h"
#include "server/jobs/job_runner.h"
#include "server/rpc/agent_service.h"
#include "server/rpc/blob_service.h"
#include "server/rpc/endpoint.h"
#include "server/rpc/fleet_service.h"
#include "server/rpc/import_service.h"
#include "server/rpc/job_service.h"
#include "server/rpc/token_service.h"
#include "server/rpc/watch_hub.h"
#include "server/store/sqlite/sqlite_store.h"

namespace burnish::rpc {

inline constexpr absl::Duration kLease = absl::Seconds(30);

class RpcServer {
 public:
  explicit RpcServer(auth::PolicyTable policy = auth::DefaultPolicy(), PrivateClients clients = {},
                     bool reflection = false)
      : folder_(MakeFolder()),
        store_(*store::OpenSqliteStore(":memory:", clock_)),
        authorizer_(std::move(policy), *store_, clock_, {}),
        admission_(authorizer_),
        runner_(*store_, {}),
        dispatcher_(*store_, {.heartbeat_interval = absl::Seconds(5), .lease = kLease}),
        hub_(*store_, /*rest=*/absl::ZeroDuration()),
        inbox_(
            dispatcher_, [this] { Changed(); }, [](const absl::Status&) {}),
        agents_(admission_, {.store = *store_,
                             .dispatcher = dispatcher_,
                             .inbox = inbox_,
                             .clock = clock_,
                             .longest_silence = kLease,
                             .changed = [this] { Changed(); },
                             .metrics = counters_}),
        jobs_(*store_, admission_, hub_, std::move(clients), [this] { Changed(); }),
        fleet_(*store_, admission_, [this] { Changed(); }),
        blobs_(*store_, admission_, counters_),
        imports_(*store_, admission_),
        tokens_(*store_, admission_),
        endpoint_(*Endpoint::Listen(*net::ParseServerAddress("unix:" + folder_ + "/socket"),
                                    {&jobs_, &agents_, &fleet_, &blobs_, &imports_, &tokens_},
                                    {.metrics = counters_, .reflection = reflection})),
        channel_(*net::DialServer(endpoint_->address(), {})) {}

  ~RpcServer() {
    Stop();
    std::filesystem::remove_all(folder_);
  }

  void Stop() {
    const absl::Status reason = absl::UnavailableError("the server is stopping");
    inbox_.Stop();
    hub_.Stop(reason);
    jobs_.Stop(reason);
    blobs_.Stop(reason);
    imports_.Stop(reason);
    dispatcher_.CloseAll(reason);
    endpoint_->Shutdown(absl::Seconds(1));
  }

  void Advance() {
    ASSERT_TRUE(runner_.Advance().ok());
    ASSERT_TRUE(dispatcher_.Advance().ok());
    hub_.Wake();
  }

  // Returns once `condition` holds; it is looked at after every change that a handler makes.
  void WaitUntil(const std::function<bool()>& condition) {
    absl::MutexLock lock(&changed_mutex_);
    while (!condition()) {
      ASSERT_FALSE(changed_.WaitWithTimeout(&changed_mutex_, absl::Seconds(20)));
    }
  }

  // So many changes were announced up to now; WaitForChange(n) waits until there are more.
  int changes() {
    absl::MutexLock lock(&changed_mutex_);
    return changes_;
  }
  void WaitForChange(int seen) {
    WaitUntil([&] { return changes_ > seen; });
  }

  // The text of a new token; for the namespace `own`, if its role is for some.
  std::string MakeToken(store::Role role, absl::Duration lifetime = absl::Hours(1)) {
    const std::string text = auth::NewTokenText();
    store::NewToken token{.name = store::RoleName(role),
                          .hash = auth::HashOfToken(text),
                          .prefix = auth::VisiblePrefix(text),
                          .role = role,
                          .lifetime = lifetime};
    if (role == store::Role::kViewer || role == store::Role::kSubmitter) {
      token.namespaces = {Namespace("own")};
    }
    EXPECT_TRUE(store_->CreateToken(token).ok());
    admission_.TokensChanged();
    return text;
  }

  store::Store& store() { return *store_; }
  SimulatedClock& clock() { return clock_; }
  AgentService& agents() { return agents_; }
  JobService& jobs() { return jobs_; }
  Admission& admission() { return admission_; }
  Endpoint& endpoint() { return *endpoint_; }
  telemetry::Metrics& metrics() { return metrics_; }
  const net::ServerAddress& address() const { return endpoint_->address(); }
  std::shared_ptr<grpc::Channel> channel() { return channel_; }
  std::unique_ptr<pb::JobService::Stub> NewJobStub() { return pb::JobService::NewStub(channel_); }

 private:
  static std::string MakeFolder() {
    std::string pattern = ::testing::TempDir() + "rpc_XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    return pattern;
  }

  void Changed() {
    hub_.Wake();
    absl::MutexLock lock(&changed_mutex_);
    ++changes_;
    changed_.SignalAll();
  }

  const std::string folder_;
  absl::Mutex changed_mutex_;
  absl::CondVar changed_;
  int changes_ = 0;
  SimulatedClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  telemetry::Metrics metrics_;
  const server::ServerMetrics counters_{metrics_};
  const std::unique_ptr<store::Store> store_;
  auth::Authorizer authorizer_;
  Admission admission_;
  jobs::JobRunner runner_;
  dispatch::Dispatcher dispatcher_;
  WatchHub hub_;
  AgentInbox inbox_;
  AgentService agents_;
  JobService jobs_;
  FleetService fleet_;
  BlobService blobs_;
  ImportService imports_;
  TokenService tokens_;
  const std::unique_ptr<Endpoint> endpoint_;
  const std::shared_ptr<grpc::Channel> channel_;
};

// A call that fails instead of blocking for ever when a test goes wrong; with a token, if one is
// given.
inline std::unique_ptr<grpc::ClientContext> ContextWithDeadline(const std::string& token = "") {
  auto context = std::make_unique<grpc::ClientContext>();
  if (!token.empty()) context->AddMetadata("authorization", "Bearer " + token);
  context->set_deadline(absl::ToChronoTime(SystemClock().Now() + absl::Seconds(20)));
  return context;
}

// A job over four configurations of one parameter.
inline pb::SubmitRequest ToyJob(const std::string& request_id = "request-1") {
  pb::SubmitRequest request;
  request.set_client_request_id(request_id);
  request.set_file_name("toy.yaml");
  request.set_text(R"(name: toy
kernel:
  language: cpp
  source: {file: toy.cpp}
  entry: toy
  arguments: [{name: c, dtype: f32, shape: [16], role: output}]
  reference: {language: cpp, source: {file: toy.cpp}, entry: toy}
  parameters: {A: [1, 2, 3, 4]}
budget: {trials: 4}
)");
  pb::SourceFile& file = *request.add_files();
  file.set_name("toy.cpp");
  file.mutable_content()->set_inline_("extern \"C\" void toy(float* c) { (void)c; }\n");
  return request;
}

inline pb::DeviceInfo ToyDevice() {
  pb::DeviceInfo device;
  device.set_backend("cpu");
  device.set_name("Test CPU");
  device.set_device_class("zen4");
  device.add_languages("cpp");
  return device;
}

// The test's end of an agent's stream.
class FakeAgent {
 public:
  explicit FakeAgent(RpcServer& server, const std::string& token = "")
      : context_(ContextWithDeadline(token)),
        stub_(pb::AgentService::NewStub(server.channel())),
        stream_(stub_->Attach(context_.get())) {}
  ~FakeAgent() {
    if (finished_) return;
    context_->TryCancel();
    stream_->Finish();
  }

  bool Send(const pb::AgentMessage& message) { return stream_->Write(message); }
  // Nothing once the stream has ended.
  std::optional<pb::ServerMessage> Receive() {
    pb::ServerMessage message;
    if (!stream_->Read(&message)) return std::nullopt;
    return message;
  }
  // Says goodbye, if it is this side that ends; then waits for the stream's status.
  absl::Status Leave() {
    stream_->WritesDone();
    return Status();
  }
  absl::Status Status() {
    while (Receive().has_value()) {
    }
    finished_ = true;
    return net::ToAbslStatus(stream_->Finish());
  }

  static pb::AgentMessage Hello(const std::string& agent_id = "agent") {
    pb::AgentMessage message;
    message.mutable_hello()->set_agent_id(agent_id);
    message.mutable_hello()->set_version("1");
    message.mutable_hello()->set_prefetch(1);
    message.mutable_hello()->set_protocol(kAgentProtocol);
    *message.mutable_hello()->add_devices() = ToyDevice();
    return message;
  }

  // Reports a measurement of A * 1 ms, or a comparison in which the first finalist is slowest.
  static pb::AgentMessage ReportOf(const pb::Assignment& assignment) {
    pb::AgentMessage message;
    pb::ReportMessage& report = *message.mutable_report();
    report.set_attempt_id(assignment.attempt_id());
    report.set_work_item_id(assignment.work_item_id());
    report.set_fence(assignment.fence());
    if (assignment.has_measure()) {
      FillMeasurement(assignment.measure().configuration(), *report.mutable_measurement());
    } else {
      FillComparison(assignment.compare(), *report.mutable_comparison());
    }
    return message;
  }

 private:
  static int64_t NanosecondsOf(const pb::Configuration& configuration) {
    return configuration.settings(0).value().integer() * 1'000'000;
  }

  static void FillMeasurement(const pb::Configuration& configuration, pb::Measurement& measured) {
    const double seconds = static_cast<double>(NanosecondsOf(configuration)) * 1e-9;
    measured.set_outcome(pb::OUTCOME_OK);
    pb::Sample& sample = *measured.add_samples();
    sample.set_total_ns(NanosecondsOf(configuration));
    sample.set_launches(1);
    pb::Latency& latency = *measured.mutable_latency();
    latency.set_statistic("p20");
    latency.set_seconds(seconds);
    latency.set_low_seconds(seconds * 0.99);
    latency.set_high_seconds(seconds * 1.01);
    measured.mutable_correctness()->set_verified(true);
  }

  static void FillComparison(const pb::Compare& compare, pb::Comparison& comparison) {
    comparison.set_outcome(pb::OUTCOME_OK);
    for (const pb::Configuration& configuration : compare.finalists()) {
      pb::FinalistSamples& finalist = *comparison.add_finalists();
      *finalist.mutable_configuration() = configuration;
      finalist.set_outcome(pb::OUTCOME_OK);
      finalist.mutable_correctness()->set_verified(true);
      for (int round = 0; round < compare.rounds(); ++round) {
        pb::Sample& sample = *finalist.add_rounds();
        sample.set_total_ns(NanosecondsOf(configuration));
        sample.set_launches(1);
      }
    }
  }

  const std::unique_ptr<grpc::ClientContext> context_;
  const std::unique_ptr<pb::AgentService::Stub> stub_;
  const std::unique_ptr<grpc::ClientReaderWriter<pb::AgentMessage, pb::ServerMessage>> stream_;
  bool finished_ = false;
};

}  // namespace burnish::rpc
