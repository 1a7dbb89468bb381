#include "server/rpc/job_service.h"

#include <atomic>
#include <string>
#include <vector>

#include "common/base/diagnostic.h"
#include "common/wire/device.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/jobs/control.h"
#include "tests/unit/server/rpc/rpc_fixture.h"

namespace burnish::rpc {
namespace {

using ::testing::HasSubstr;

// Calls of the job service, with their statuses as the client sees them.
class Client {
 public:
  explicit Client(RpcServer& server) : stub_(server.NewJobStub()) {}

  template <typename Reply, typename Request>
  absl::StatusOr<Reply> Call(grpc::Status (pb::JobService::Stub::*method)(grpc::ClientContext*,
                                                                          const Request&, Reply*),
                             const Request& request) {
    const auto context = ContextWithDeadline();
    Reply reply;
    const absl::Status status =
        net::ToAbslStatus((stub_.get()->*method)(context.get(), request, &reply));
    if (!status.ok()) return status;
    return reply;
  }
  absl::StatusOr<pb::SubmitReply> Submit(const pb::SubmitRequest& request) {
    return Call<pb::SubmitReply>(&pb::JobService::Stub::Submit, request);
  }
  absl::StatusOr<pb::JobSnapshot> Get(const std::string& job_id) {
    pb::GetRequest request;
    request.set_job_id(job_id);
    return Call<pb::JobSnapshot>(&pb::JobService::Stub::Get, request);
  }
  pb::JobService::Stub& stub() { return *stub_; }

 private:
  const std::unique_ptr<pb::JobService::Stub> stub_;
};

class JobServiceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(agent_.Send(FakeAgent::Hello()));
    ASSERT_TRUE(agent_.Receive().has_value());
  }
  // The agent does one more work item; the attempt's id.
  std::string RunOne() {
    server_.Advance();
    auto message = agent_.Receive();
    if (message->has_task()) message = agent_.Receive();
    EXPECT_TRUE(message->has_assignment());
    EXPECT_TRUE(agent_.Send(FakeAgent::ReportOf(message->assignment())));
    EXPECT_TRUE(agent_.Receive()->has_acknowledgement());
    return message->assignment().attempt_id();
  }

  std::vector<pb::Record> RecordsOf(const std::string& job_id) {
    pb::RecordsRequest request;
    request.set_job_id(job_id);
    const auto context = ContextWithDeadline();
    const auto stream = client_.stub().Records(context.get(), request);
    std::vector<pb::Record> records;
    for (pb::Record record; stream->Read(&record);) records.push_back(record);
    EXPECT_TRUE(stream->Finish().ok());
    return records;
  }

  RpcServer server_;
  FakeAgent agent_{server_};
  Client client_{server_};
};

TEST_F(JobServiceTest, MakesOneJobOfARepeatedSubmission) {
  const auto first = client_.Submit(ToyJob("r1"));
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_FALSE(first->existed());
  const auto again = client_.Submit(ToyJob("r1"));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->existed());
  EXPECT_EQ(again->job_id(), first->job_id());
  for (const auto& reply : {first, again}) {
    EXPECT_EQ(reply->forecast().trials(), 4);
    EXPECT_EQ(reply->forecast().seconds(), 0) << "nothing is known";
  }
  EXPECT_NE(client_.Submit(ToyJob("r2"))->job_id(), first->job_id());
}

TEST_F(JobServiceTest, TellsWhereABadJobIsWrong) {
  pb::SubmitRequest request = ToyJob();
  request.set_text(request.text() + "budgett: {trials: 4}\n");
  const auto submitted = client_.Submit(request);
  EXPECT_EQ(submitted.status().code(), absl::StatusCode::kInvalidArgument);
  const auto diagnostic = DiagnosticOf(submitted.status());
  ASSERT_TRUE(diagnostic.has_value());
  EXPECT_EQ(diagnostic->file, "toy.yaml");
  EXPECT_EQ(diagnostic->line, 10);
  EXPECT_THAT(diagnostic->hint, HasSubstr("budget"));
}

TEST_F(JobServiceTest, RefusesRequestsThatNoClientShouldSend) {
  pb::SubmitRequest nameless = ToyJob("");
  EXPECT_THAT(client_.Submit(nameless).status().message(), HasSubstr("client_request_id"));
  pb::SubmitRequest twice = ToyJob();
  *twice.add_files() = twice.files(0);
  EXPECT_THAT(client_.Submit(twice).status().message(), HasSubstr("toy.cpp"));
  pb::SubmitRequest elsewhere = ToyJob();
  elsewhere.set_namespace_(std::string(1000, 'n'));
  EXPECT_THAT(client_.Submit(elsewhere).status().message(), HasSubstr("namespace"));
}

TEST_F(JobServiceTest, ShowsAJobWithItsText) {
  const std::string id = client_.Submit(ToyJob())->job_id();
  const auto snapshot = client_.Get(id);
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  EXPECT_EQ(snapshot->job_id(), id);
  EXPECT_EQ(snapshot->name(), "toy");
  EXPECT_EQ(snapshot->job_text(), ToyJob().text());
  EXPECT_EQ(snapshot->tasks(0).space_size(), "4");
}

TEST_F(JobServiceTest, KeepsNamespacesApart) {
  const std::string id = client_.Submit(ToyJob())->job_id();
  pb::GetRequest request;
  request.set_job_id(id);
  request.set_namespace_("other");
  EXPECT_EQ(client_.Call<pb::JobSnapshot>(&pb::JobService::Stub::Get, request).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(JobServiceTest, HintsAtTheFormOfJobIds) {
  const auto wrong = client_.Get("forty-two");
  EXPECT_EQ(wrong.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(DiagnosticOf(wrong.status())->hint, HasSubstr("j42"));
  EXPECT_EQ(client_.Get("j42").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(JobServiceTest, ListsTheNewestJobsFirstWithoutTheirTexts) {
  client_.Submit(ToyJob("r1")).IgnoreError();
  const std::string newest = client_.Submit(ToyJob("r2"))->job_id();
  pb::ListRequest request;
  auto listed = client_.Call<pb::ListReply>(&pb::JobService::Stub::List, request);
  ASSERT_TRUE(listed.ok()) << listed.status();
  ASSERT_EQ(listed->jobs_size(), 2);
  EXPECT_EQ(listed->jobs(0).job_id(), newest);
  EXPECT_EQ(listed->jobs(0).job_text(), "");
  request.set_limit(1);
  listed = client_.Call<pb::ListReply>(&pb::JobService::Stub::List, request);
  EXPECT_EQ(listed->jobs_size(), 1);
}

TEST_F(JobServiceTest, TellsDevicesReadyAndLost) {
  const auto devices = [this] {
    return client_.Call<pb::DevicesReply>(&pb::JobService::Stub::Devices, pb::DevicesRequest());
  };
  ASSERT_EQ(devices()->devices_size(), 1);
  EXPECT_EQ(devices()->devices(0).device_id(), "agent/cpu:0");
  EXPECT_EQ(devices()->devices(0).agent_id(), "agent");
  EXPECT_EQ(devices()->devices(0).state(), "ready");
  server_.clock().Advance(absl::Seconds(70));
  EXPECT_EQ(devices()->devices(0).state(), "lost");
  EXPECT_THAT(devices()->devices(0).reason(), HasSubstr("70 s ago"));
}

TEST_F(JobServiceTest, StreamsRecordsInTheOrderOfStoring) {
  const std::string id = client_.Submit(ToyJob())->job_id();
  std::vector<std::string> reported;
  for (int trial = 0; trial < 4; ++trial) reported.push_back(RunOne());
  std::vector<std::string> streamed;
  for (const pb::Record& record : RecordsOf(id)) {
    streamed.push_back(record.attempt_id());
    EXPECT_EQ(record.task_id(), id + ".1");
    EXPECT_EQ(record.measurement().outcome(), pb::OUTCOME_OK);
    EXPECT_EQ(record.configuration().settings(0).name(), "A");
    EXPECT_GT(record.stored_unix_ms(), 0);
    EXPECT_EQ(record.dropped_samples(), 0);
  }
  EXPECT_EQ(streamed, reported);
}

TEST_F(JobServiceTest, RecordsSayTheirShareOfTheRoofsThatTheAgentReported) {
  pb::AgentMessage message;
  message.mutable_roofs()->set_device_id("agent/cpu:0");
  *message.mutable_roofs()->mutable_roofs() = wire::ToProto(
      work::Roofs{.peaks = {{"f32", 1, 1e6}}, .bandwidths = {{"memory", 1 << 20, 1, 1e9}}});
  ASSERT_TRUE(agent_.Send(message));
  pb::SubmitRequest job = ToyJob();
  job.set_text(
      std::string(job.text())
          .replace(job.text().find("  parameters"), 0, "  work: {flops: 100, bytes: 64}\n"));
  const std::string id = client_.Submit(job)->job_id();
  RunOne();  // 100 operations in 1 ms, where 1000 are possible
  EXPECT_DOUBLE_EQ(RecordsOf(id).at(0).roof_share(), 0.1);
  EXPECT_DOUBLE_EQ(client_.Get(id)->tasks(0).best().roof_share(), 0.1);
}

TEST_F(JobServiceTest, ShowsAnEndedJobAsBeforeOnceItsSamplesAreDropped) {
  const std::string id = client_.Submit(ToyJob())->job_id();
  for (int item = 0; item < 5; ++item) RunOne();  // the last one compares
  server_.Advance();
  const auto before = client_.Get(id);
  ASSERT_EQ(before->state(), pb::STATE_DONE);
  ASSERT_GT(before->tasks(0).speedup(), 0);
  std::vector<pb::Record> records = RecordsOf(id);
  server_.clock().Advance(absl::Seconds(1));
  ASSERT_EQ(server_.store().DropSamples(server_.clock().Now(), 100)->count, 4);
  EXPECT_EQ(client_.Get(id)->DebugString(), before->DebugString());
  const std::vector<pb::Record> dropped = RecordsOf(id);
  ASSERT_EQ(dropped.size(), records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    records[i].mutable_measurement()->clear_samples();
    records[i].set_dropped_samples(1);
    EXPECT_EQ(dropped[i].DebugString(), records[i].DebugString());
  }
}

TEST_F(JobServiceTest, GivesTheCodeOfTheDefaultUntilThereIsABest) {
  const std::string id = client_.Submit(ToyJob())->job_id();
  pb::JobRequest request;
  request.set_job_id(id);
  const auto reply = client_.Call<pb::SourceReply>(&pb::JobService::Stub::Source, request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->tasks_size(), 1);
  EXPECT_EQ(reply->tasks(0).task_id(), id + ".1");
  EXPECT_EQ(reply->tasks(0).language(), "cpp");
  EXPECT_THAT(reply->tasks(0).text(), HasSubstr("#define A 1\n"));
  EXPECT_THAT(reply->tasks(0).text(), HasSubstr("void toy("));
  request.set_job_id("j999");
  EXPECT_TRUE(absl::IsNotFound(
      client_.Call<pb::SourceReply>(&pb::JobService::Stub::Source, request).status()));
}

TEST_F(JobServiceTest, RefusesRecordsOfUnknownJobsAndKinds) {
  const auto status_of = [this](const pb::RecordsRequest& request) {
    const auto context = ContextWithDeadline();
    return net::ToAbslStatus(client_.stub().Records(context.get(), request)->Finish());
  };
  pb::RecordsRequest request;
  request.set_job_id("j42");
  EXPECT_EQ(status_of(request).code(), absl::StatusCode::kNotFound);
  request.set_job_id(client_.Submit(ToyJob())->job_id());
  request.set_kind("canary");
  EXPECT_THAT(status_of(request).message(), HasSubstr("canary"));
}

TEST_F(JobServiceTest, EndsAWatchAtOnceWhereThereIsNothingToWatch) {
  pb::WatchRequest request;
  request.set_job_id("j42");
  const auto context = ContextWithDeadline();
  EXPECT_EQ(client_.stub().Watch(context.get(), request)->Finish().error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST_F(JobServiceTest, EndsTheWatchOfAJobThatIsDeleted) {
  pb::WatchRequest request;
  request.set_job_id(client_.Submit(ToyJob())->job_id());
  const auto context = ContextWithDeadline();
  const auto watch = client_.stub().Watch(context.get(), request);
  pb::JobSnapshot snapshot;
  ASSERT_TRUE(watch->Read(&snapshot));
  ASSERT_TRUE(
      server_.store().CancelJob(Namespace("default"), *ParseJobId(request.job_id()), "").ok());
  server_.clock().Advance(absl::Seconds(1));
  ASSERT_EQ(server_.store().DeleteJobs(server_.clock().Now(), 100)->count, 1);
  while (watch->Read(&snapshot)) {
  }
  const grpc::StatusCode ended = watch->Finish().error_code();
  // The hub may have looked just between the job's end and its deletion.
  EXPECT_TRUE(ended == grpc::StatusCode::NOT_FOUND || ended == grpc::StatusCode::OK) << ended;
}

TEST_F(JobServiceTest, TellsWatchersThatTheServerStops) {
  pb::WatchRequest request;
  request.set_job_id(client_.Submit(ToyJob())->job_id());
  const auto context = ContextWithDeadline();
  const auto watch = client_.stub().Watch(context.get(), request);
  pb::JobSnapshot snapshot;
  ASSERT_TRUE(watch->Read(&snapshot));
  server_.Stop();
  while (watch->Read(&snapshot)) {
  }
  EXPECT_EQ(watch->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(JobServiceTest, MayRefuseSubmissionsAndAnswerEverythingElse) {
  const std::string job_id = client_.Submit(ToyJob("r1"))->job_id();
  server_.jobs().RefuseSubmissions(absl::UnavailableError("draining"));
  EXPECT_EQ(client_.Submit(ToyJob("r2")).status(), absl::UnavailableError("draining"));
  EXPECT_TRUE(client_.Get(job_id).ok());
}

TEST_F(JobServiceTest, ResumesAPausedJobAndLeavesOneThatGoesOn) {
  pb::ResumeRequest request;
  request.set_job_id(client_.Submit(ToyJob())->job_id());
  const auto resume = [&] {
    return client_.Call<pb::JobSnapshot>(&pb::JobService::Stub::Resume, request);
  };
  EXPECT_EQ(resume()->state(), pb::STATE_QUEUED);
  ASSERT_TRUE(jobs::PauseAllActive(server_.store(), "test").ok());
  EXPECT_EQ(client_.Get(request.job_id())->state(), pb::STATE_PAUSED);
  const auto resumed = resume();
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_EQ(resumed->state(), pb::STATE_RUNNING);
  ASSERT_TRUE(
      server_.store().CancelJob(Namespace("default"), *ParseJobId(request.job_id()), "").ok());
  EXPECT_EQ(resume().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(JobServiceTest, PausesAndCancelsAJob) {
  pb::JobRequest request;
  request.set_job_id(client_.Submit(ToyJob())->job_id());
  const auto paused = client_.Call<pb::JobSnapshot>(&pb::JobService::Stub::Pause, request);
  ASSERT_TRUE(paused.ok()) << paused.status();
  EXPECT_EQ(paused->state(), pb::STATE_PAUSED);
  const auto cancelled = client_.Call<pb::JobSnapshot>(&pb::JobService::Stub::Cancel, request);
  ASSERT_TRUE(cancelled.ok()) << cancelled.status();
  EXPECT_EQ(cancelled->state(), pb::STATE_CANCELLED);
  const absl::Status again =
      client_.Call<pb::JobSnapshot>(&pb::JobService::Stub::Pause, request).status();
  EXPECT_EQ(again.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(again.message(), HasSubstr("it is cancelled"));
}

TEST_F(JobServiceTest, FinishesARunningJob) {
  pb::JobRequest request;
  request.set_job_id(client_.Submit(ToyJob())->job_id());
  server_.Advance();
  const auto finish = client_.Call<pb::JobSnapshot>(&pb::JobService::Stub::Finish, request);
  ASSERT_TRUE(finish.ok()) << finish.status();
  EXPECT_TRUE(server_.store()
                  .GetJob(Namespace("default"), *ParseJobId(request.job_id()))
                  ->job.finish_requested);
}

TEST_F(JobServiceTest, HasNoHoldsOutsidePrivateMode) {
  pb::HoldRequest request;
  request.set_hold_id("h");
  const auto context = ContextWithDeadline();
  EXPECT_EQ(client_.stub().Hold(context.get(), request)->Finish().error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
}

// --- the private server -------------------------------------------------------------------------

class PrivateJobServiceTest : public ::testing::Test {
 protected:
  // A client's hold, for as long as it lives.
  class Hold {
   public:
    Hold(Client& client, const std::string& hold_id, bool needs_devices = false)
        : context_(ContextWithDeadline()) {
      pb::HoldRequest request;
      request.set_hold_id(hold_id);
      request.set_needs_devices(needs_devices);
      stream_ = client.stub().Hold(context_.get(), request);
      pb::HoldReply ready;
      held_ = stream_->Read(&ready);
    }
    ~Hold() {
      context_->TryCancel();
      stream_->Finish();
    }
    bool held() const { return held_; }

   private:
    const std::unique_ptr<grpc::ClientContext> context_;
    std::unique_ptr<grpc::ClientReader<pb::HoldReply>> stream_;
    bool held_ = false;
  };

  void SetUp() override {
    ASSERT_TRUE(agent_.Send(FakeAgent::Hello()));
    ASSERT_TRUE(agent_.Receive().has_value());
  }

  static pb::SubmitRequest JobHeldBy(const std::string& hold_id) {
    pb::SubmitRequest request = ToyJob();
    request.set_hold_id(hold_id);
    return request;
  }

  // The last state that a watcher sees; the watch itself waits, so that the test does not poll.
  pb::State WaitForState(const std::string& job_id, pb::State state) {
    pb::WatchRequest request;
    request.set_job_id(job_id);
    const auto context = ContextWithDeadline();
    const auto watch = client_.stub().Watch(context.get(), request);
    pb::JobSnapshot snapshot;
    while (watch->Read(&snapshot) && snapshot.state() != state) {
    }
    context->TryCancel();
    watch->Finish();
    return snapshot.state();
  }

  SimulatedClock clock_{absl::UnixEpoch()};
  server::HoldRegistry holds_{clock_, {}};
  std::atomic<int> devices_needed_ = 0;
  RpcServer server_{auth::DefaultPolicy(),
                    {.holds = &holds_, .need_devices = [this] { ++devices_needed_; }}};
  FakeAgent agent_{server_};
  Client client_{server_};
};

TEST_F(PrivateJobServiceTest, RefusesAJobThatNoClientHolds) {
  const auto nobody = client_.Submit(JobHeldBy(""));
  EXPECT_EQ(nobody.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(DiagnosticOf(nobody.status())->hint, HasSubstr("burnish tune"));
  EXPECT_EQ(client_.Submit(JobHeldBy("gone")).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(PrivateJobServiceTest, PausesTheJobsOfAClientThatIsGoneAndNoOthers) {
  std::string lost, kept;
  const Hold stays(client_, "stays");
  {
    const Hold leaves(client_, "leaves");
    ASSERT_TRUE(stays.held() && leaves.held());
    lost = client_.Submit(JobHeldBy("leaves"))->job_id();
    pb::SubmitRequest other = JobHeldBy("stays");
    other.set_client_request_id("request-2");
    kept = client_.Submit(other)->job_id();
  }
  EXPECT_EQ(WaitForState(lost, pb::STATE_PAUSED), pb::STATE_PAUSED);
  EXPECT_EQ(client_.Get(lost)->reason(), "its client ended");
  EXPECT_EQ(client_.Get(kept)->state(), pb::STATE_QUEUED);

  pb::ResumeRequest resume;
  resume.set_job_id(lost);
  resume.set_hold_id("stays");
  const auto resumed = client_.Call<pb::JobSnapshot>(&pb::JobService::Stub::Resume, resume);
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_EQ(resumed->state(), pb::STATE_RUNNING);
}

TEST_F(PrivateJobServiceTest, StartsTheAgentOnlyForClientsThatNeedDevices) {
  const Hold reader(client_, "reader");
  EXPECT_EQ(devices_needed_, 0);
  const Hold tuner(client_, "tuner", /*needs_devices=*/true);
  EXPECT_EQ(devices_needed_, 1);
}

TEST_F(PrivateJobServiceTest, TurnsClientsAwayOnceItEnds) {
  clock_.Advance(absl::Seconds(10));
  ASSERT_TRUE(holds_.TryEndServer());
  pb::HoldRequest request;
  request.set_hold_id("late");
  const auto context = ContextWithDeadline();
  EXPECT_EQ(client_.stub().Hold(context.get(), request)->Finish().error_code(),
            grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace burnish::rpc
