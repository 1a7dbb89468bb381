#include "agent/sandbox/worker_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"

namespace burnish::agent {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

WorkerCommand Shell(std::string script) {
  return {.arguments = {"/bin/sh", "-c", std::move(script)}, .environment = {"PATH=/usr/bin:/bin"}};
}

// A request of an id alone echoed back is a reply of the same id.
const WorkerCommand kEcho = {.arguments = {"/bin/cat"}, .environment = {}};
// Reads until it is hung up on, and never answers.
constexpr char kSilent[] = "exec cat >/dev/null";

absl::StatusOr<v1::WorkerReply> Exchange(WorkerProcess& worker,
                                         absl::Duration timeout = absl::Seconds(30),
                                         const std::stop_token& stop = {}) {
  return worker.Exchange(v1::WorkerRequest(), timeout, stop);
}

TEST(WorkerProcessTest, OneProcessAnswersRequestAfterRequest) {
  WorkerProcess worker(kEcho);
  for (uint64_t id = 1; id <= 3; ++id) {
    const auto reply = Exchange(worker);
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_EQ(reply->id(), id);
  }
}

TEST(WorkerProcessTest, AWorkerThatEndsIsUnavailableAndTellsHow) {
  WorkerProcess exits(Shell("exit 3"));
  absl::Status status = Exchange(exits).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("exit code 3"));
  EXPECT_FALSE(exits.running());

  WorkerProcess crashes(Shell("kill -SEGV $$"));
  status = Exchange(crashes).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("signal 11"));
}

TEST(WorkerProcessTest, ASilentWorkerIsEndedAtTheDeadline) {
  WorkerProcess worker(Shell(kSilent));
  const absl::Status status = Exchange(worker, absl::Milliseconds(10)).status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("no answer within 10ms"));
  EXPECT_FALSE(worker.running());
}

TEST(WorkerProcessTest, AWorkerThatIgnoresTheHangUpIsKilledWithItsChildren) {
  WorkerProcess worker(Shell("sleep 1000 & exec sleep 1000"));
  EXPECT_TRUE(absl::IsDeadlineExceeded(Exchange(worker, absl::Milliseconds(10)).status()));
  EXPECT_FALSE(worker.running());
}

TEST(WorkerProcessTest, NonsenseIsInternal) {
  WorkerProcess garbage(Shell("echo garbage; exec cat >/dev/null"));
  EXPECT_TRUE(absl::IsInternal(Exchange(garbage).status()));

  WorkerProcess wrong_id(Shell(R"(printf '\002\000\000\000\010\143'; exec cat >/dev/null)"));
  const absl::Status status = Exchange(wrong_id).status();
  EXPECT_TRUE(absl::IsInternal(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("request 99 instead of 1"));
}

TEST(WorkerProcessTest, AStopFromAnotherThreadEndsTheExchangeAndTheNextOneStartsAnew) {
  WorkerProcess worker(kEcho);
  ASSERT_TRUE(Exchange(worker).ok());
  std::stop_source stop;
  WorkerProcess silent(Shell(kSilent));
  std::thread stopper([&stop] { stop.request_stop(); });
  EXPECT_TRUE(
      absl::IsCancelled(Exchange(silent, absl::InfiniteDuration(), stop.get_token()).status()));
  stopper.join();
  EXPECT_FALSE(silent.running());
  EXPECT_TRUE(absl::IsCancelled(Exchange(worker, absl::Seconds(30), stop.get_token()).status()));
  EXPECT_TRUE(Exchange(worker).ok());
}

TEST(WorkerProcessTest, AfterADeathTheNextExchangeStartsAnotherProcess) {
  // The first process makes the folder and ends, the second finds it and echoes.
  const std::string mark = absl::StrCat(::testing::TempDir(), "/worker_process_test.", ::getpid());
  WorkerProcess worker(Shell(absl::StrCat(
      "if mkdir ", mark, " 2>/dev/null; then exit 1; fi; rmdir ", mark, "; exec cat")));
  EXPECT_TRUE(absl::IsUnavailable(Exchange(worker).status()));
  EXPECT_TRUE(Exchange(worker).ok());
}

TEST(WorkerProcessTest, CountsWorkersThatWereLostButNotThoseThatWereStopped) {
  telemetry::Metrics metrics;
  WorkerCommand command = Shell(kSilent);
  command.lost = metrics.NewCounter(telemetry::kAgentWorkersLost);
  WorkerProcess worker(command);
  std::stop_source stop;
  std::thread stopper([&stop] { stop.request_stop(); });
  EXPECT_FALSE(Exchange(worker, absl::InfiniteDuration(), stop.get_token()).ok());
  stopper.join();
  EXPECT_THAT(metrics.Text(), HasSubstr("burnish_agent_workers_lost_total 0\n"));
  EXPECT_FALSE(Exchange(worker, absl::Milliseconds(10)).ok());
  EXPECT_THAT(metrics.Text(), HasSubstr("burnish_agent_workers_lost_total 1\n"));
}

TEST(WorkerProcessTest, AProgramThatIsNotThereIsNamed) {
  WorkerProcess worker({.arguments = {"/no/such/worker"}, .environment = {}});
  EXPECT_THAT(std::string(Exchange(worker).status().message()), HasSubstr("/no/such/worker"));
}

TEST(WorkerCommandTest, OnlyAFewVariablesReachTheWorker) {
  ::setenv("BURNISH_TOKEN_OF_THIS_TEST", "secret", 1);
  ::setenv("BURNISH_CXX", "clang++", 1);
  const WorkerCommand command = DefaultWorkerCommand(WorkerRole::kBuild);
  EXPECT_THAT(command.arguments.front(), HasSubstr("/burnish-worker"));
  EXPECT_THAT(command.environment, Contains("BURNISH_CXX=clang++"));
  EXPECT_THAT(command.environment, Contains(StartsWith("PATH=")));
  EXPECT_THAT(command.environment, Each(Not(HasSubstr("secret"))));
}

}  // namespace
}  // namespace burnish::agent
