// Against real workers of the null backend, behind a link that drops when told to.
#include "agent/sandbox/board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/sandbox/framed_worker.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/environment.h"
#include "common/base/file.h"
#include "common/base/random.h"
#include "common/wire/device.h"
#include "common/wire/measurement.h"

namespace burnish::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const CallLimits kLimits{absl::Seconds(60), std::stop_token()};

class BoardTest : public ::testing::Test {
 protected:
  BoardTest() { fs::create_directories(folder_); }
  ~BoardTest() override { fs::remove_all(folder_); }
  static void TearDownTestSuite() { fs::remove_all(SharedBoard()); }

  // Where the worker is put once, for all tests that are not about that.
  static std::string SharedBoard() {
    static const std::string folder =
        fs::canonical(::testing::TempDir()) / absl::StrCat("board-", RandomHexId());
    return folder;
  }

  std::shared_ptr<const Board> MakeBoard(std::vector<std::string> prefix,
                                         const std::string& program = "") {
    auto board = Board::Make(
        std::move(prefix), on_board_,
        program.empty() ? ExecutableFolder() + "/burnish-worker" : folder_ + "/" + program);
    EXPECT_TRUE(board.ok()) << board.status();
    return *board;
  }
  std::vector<std::string> Link() const {
    return {ExecutableFolder() + "/burnish_dropping_link", folder_};
  }
  static std::vector<std::string> Shell(const std::string& script) {
    return {"/bin/sh", "-c", script, "prefix"};
  }

  FramedWorker Worker(WorkerRole role, std::shared_ptr<const Board> board) {
    WorkerCommand command = DefaultWorkerCommand(role, std::move(board));
    command.arguments.insert(command.arguments.end(), {"--writable", on_board_ + "/artefacts"});
    command.retry_interval = absl::Milliseconds(1);
    command.lost = lost_;
    return FramedWorker(std::move(command));
  }
  absl::Status Describe(std::shared_ptr<const Board> board) {
    return Worker(WorkerRole::kRun, std::move(board)).Describe("null", kLimits).status();
  }

  void Put(const std::string& name, const std::string& content = "") const {
    std::ofstream(folder_ + "/" + name) << content;
  }
  bool Has(const std::string& name) const { return fs::exists(folder_ + "/" + name); }
  std::vector<std::string> FilesOnBoard() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(on_board_)) {
      if (!entry.is_directory()) names.push_back(entry.path());
    }
    return names;
  }
  // Processes that run what was put on the board.
  std::vector<std::string> WorkersOnBoard() const {
    std::vector<std::string> workers;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
      const std::string program = fs::read_symlink(entry.path() / "exe", error).string();
      if (!error && program.starts_with(on_board_)) workers.push_back(entry.path());
    }
    return workers;
  }
  std::string Losses() const {
    const std::string text = metrics_.Text();
    const std::string name = "burnish_agent_workers_lost_total ";
    const size_t start = text.rfind(name) + name.size();
    return text.substr(start, text.find('\n', start) - start);
  }

  const std::string folder_ =
      fs::canonical(::testing::TempDir()) / absl::StrCat("link-", RandomHexId());
  std::string on_board_ = SharedBoard();
  mutable telemetry::Metrics metrics_;
  telemetry::Counter lost_ = metrics_.NewCounter(telemetry::kAgentWorkersLost);
};

class EmptyBoardTest : public BoardTest {
 protected:
  // With a quote and a blank, as somebody will have.
  EmptyBoardTest() { on_board_ = folder_ + "/it's here"; }
};

std::shared_ptr<const work::TaskDefinition> Task() {
  auto task = std::make_shared<work::TaskDefinition>();
  task->problem = "test";
  task->stages.emplace_back().entry = "kernel";
  task->reference.kind = spec::Reference::Kind::kNone;
  task->measure.min_repeat_ms = 0.01;
  task->measure.repeat = 3;
  return task;
}

CompileOrder CompileOf(const std::string& folder) {
  return {.backend = "null",
          .task = Task(),
          .configuration = space::Configuration{{"N", int64_t{4}}},
          .artefact_folder = folder};
}

MeasureOrder MeasureOf(const std::string& folder, const CompileResult& compiled) {
  MeasureOrder order;
  order.target.backend = "null";
  order.target.task = Task();
  order.target.task_hash = TaskHash("test");
  order.target.reference_folder = folder;
  order.candidate = {{{"N", int64_t{4}}}, compiled.artefact};
  return order;
}

TEST_F(EmptyBoardTest, TheWorkerIsPutThereOnceAndOldOnesAreRemoved) {
  const auto board = MakeBoard(Link());
  fs::create_directories(on_board_);
  std::ofstream(on_board_ + "/burnish-worker-000000000000") << "old";
  std::ofstream(on_board_ + "/new-worker-999999999") << "of a link that dropped";
  ASSERT_TRUE(Describe(board).ok());
  EXPECT_THAT(FilesOnBoard(), ElementsAre(board->worker_path()));
  struct stat first, second;
  ASSERT_EQ(::stat(board->worker_path().c_str(), &first), 0);
  EXPECT_EQ(first.st_mode & 0777, 0700u);
  ASSERT_TRUE(Describe(board).ok());
  ASSERT_EQ(::stat(board->worker_path().c_str(), &second), 0);
  EXPECT_EQ(first.st_ino, second.st_ino);
}

TEST_F(EmptyBoardTest, ADamagedWorkerIsReplaced) {
  const auto board = MakeBoard(Link());
  ASSERT_TRUE(Describe(board).ok());
  const auto size = fs::file_size(board->worker_path());
  fs::resize_file(board->worker_path(), size / 2);
  EXPECT_TRUE(Describe(board).ok());
  EXPECT_EQ(fs::file_size(board->worker_path()), size);
}

TEST_F(EmptyBoardTest, AProgramThatDoesNotRunThereIsRefusedWithWhatWouldRun) {
  Put("program",
      "\x7f"
      "ELF of another architecture");
  const auto board = MakeBoard(Link(), "program");
  const absl::Status status = Describe(board);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("burnish_dropping_link"), HasSubstr("does not run on the board (")));
  EXPECT_THAT(DiagnosticOf(status)->hint, HasSubstr("for the board's architecture, statically"));
  EXPECT_THAT(FilesOnBoard(), IsEmpty());
}

TEST_F(EmptyBoardTest, WhatTheBoardSaysAgainstItIsTold) {
  Put("it's here");
  const absl::Status status = Describe(MakeBoard(Link()));
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("it's here"), HasSubstr("mkdir")));
}

TEST_F(BoardTest, ACommandThatCannotRunIsAMistakeAndAnythingElseABoardThatIsAway) {
  absl::Status status = Describe(MakeBoard(Shell("exec /no/such/program")));
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("exit code 127"), HasSubstr("/no/such/program")));
  EXPECT_THAT(DiagnosticOf(status)->hint, HasSubstr("ssh -T board"));

  status = Describe(MakeBoard(Shell("echo host unknown >&2; exit 255")));
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("exit code 255: host unknown"));
}

TEST_F(BoardTest, ProgramsThatAreNotThereAreNamed) {
  EXPECT_THAT(std::string(Board::Make({"no-such-ssh"}, "/b", "/bin/sh").status().message()),
              HasSubstr("there is no program no-such-ssh"));
  EXPECT_THAT(std::string(Board::Make({"sh"}, "/b", "/no/such/worker").status().message()),
              HasSubstr("/no/such/worker"));
}

TEST_F(BoardTest, CommandsThatGiveTheirWordsToNoShellDoToo) {
  EXPECT_TRUE(Describe(MakeBoard({"/usr/bin/env"})).ok());
}

TEST_F(BoardTest, WhatALoginPrintsAndStandardErrorStayOutOfTheFrames) {
  EXPECT_TRUE(Describe(MakeBoard(Shell("echo welcome; printf 'no newline'; exec \"$@\""))).ok());
  // The worker itself writes to standard error what would be in the midst of a frame.
  auto board = MakeBoard(Shell("echo welcome >&2; exec \"$@\" 2>&1"));
  WorkerCommand command = DefaultWorkerCommand(WorkerRole::kRun, board);
  command.arguments = {"/bin/sh", "-c", "echo noise >&2; exec cat"};
  WorkerProcess echo(command);
  EXPECT_TRUE(echo.Exchange(v1::WorkerRequest(), absl::Seconds(30), {}).ok());
}

TEST_F(BoardTest, ARequestThatWasLostWithTheLinkIsAnsweredOverTheNextOne) {
  const auto board = MakeBoard(Link());
  const std::string artefacts = board->artefact_folder();
  FramedWorker builder = Worker(WorkerRole::kBuild, board);
  FramedWorker runner = Worker(WorkerRole::kRun, board);
  ASSERT_TRUE(builder.Describe("null", kLimits).ok());
  ASSERT_TRUE(runner.Describe("null", kLimits).ok());

  Put("drop-up");
  const auto compiled = builder.Compile(CompileOf(artefacts), kLimits);
  EXPECT_FALSE(Has("drop-up"));
  EXPECT_EQ(Losses(), "1");
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  ASSERT_EQ(compiled->outcome, work::Outcome::kOk) << compiled->message;

  Put("drop-down");
  const auto measured = runner.Measure(MeasureOf(board->reference_folder(), *compiled), kLimits);
  EXPECT_FALSE(Has("drop-down"));
  EXPECT_EQ(Losses(), "2");
  ASSERT_TRUE(measured.ok()) << measured.status();
  EXPECT_EQ(measured->outcome, work::Outcome::kOk) << measured->message;
  EXPECT_FALSE(measured->samples.empty());

  // As without a board.
  FramedWorker local = Worker(WorkerRole::kRun, nullptr);
  const auto here = local.Describe("null", kLimits);
  const auto there = runner.Describe("null", kLimits);
  ASSERT_TRUE(here.ok() && there.ok());
  ASSERT_EQ(here->size(), there->size());
  EXPECT_EQ(wire::ToProto(here->at(0)).SerializeAsString(),
            wire::ToProto(there->at(0)).SerializeAsString());
  FramedWorker local_builder = Worker(WorkerRole::kBuild, nullptr);
  EXPECT_EQ(local_builder.Compile(CompileOf(artefacts), kLimits)->artefact.key,
            compiled->artefact.key);
}

TEST_F(BoardTest, NothingOfAWorkerIsLeftBehindADroppedLink) {
  const auto board = MakeBoard(Link());
  {
    FramedWorker runner = Worker(WorkerRole::kRun, board);
    ASSERT_TRUE(runner.Describe("null", kLimits).ok());
    ASSERT_THAT(WorkersOnBoard(), SizeIs(1));
    const std::string first = WorkersOnBoard()[0];
    Put("drop-down");
    ASSERT_TRUE(runner.Describe("null", kLimits).ok());
    ASSERT_FALSE(Has("drop-down"));
    const absl::Duration start = SystemClock().Monotonic();
    while (WorkersOnBoard().size() != 1 && SystemClock().Monotonic() - start < absl::Seconds(10)) {
    }
    EXPECT_THAT(WorkersOnBoard(), ElementsAre(::testing::Ne(first)));
  }
  EXPECT_THAT(WorkersOnBoard(), IsEmpty());
}

TEST_F(BoardTest, ABoardThatIsAwayIsTriedAFewTimesAndIsThereAgainForTheNextRequest) {
  const auto board = MakeBoard(Link());
  FramedWorker runner = Worker(WorkerRole::kRun, board);
  for (const char* name : {"refuse-1", "refuse-2", "refuse-3"}) Put(name);
  EXPECT_TRUE(runner.Describe("null", kLimits).ok());

  FramedWorker other = Worker(WorkerRole::kRun, board);
  for (int i = 1; i <= 7; ++i) Put(absl::StrCat("refuse-", i));
  const absl::Status status = other.Describe("null", kLimits).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("No route to host"));
  EXPECT_TRUE(other.Describe("null", kLimits).ok());
}

TEST_F(BoardTest, ItsIsolationIsAskedForOnTheBoard) {
  const auto here = AskIsolation(spec::IsolationLevel::kProcess, nullptr, {});
  const auto there = AskIsolation(spec::IsolationLevel::kProcess, MakeBoard(Link()), {});
  ASSERT_TRUE(here.ok() && there.ok()) << here.status() << there.status();
  EXPECT_EQ(here->description, there->description);

  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(absl::IsCancelled(
      AskIsolation(spec::IsolationLevel::kProcess, MakeBoard(Shell("exit 255")), stop.get_token())
          .status()));
}

TEST(ShellQuoteTest, AnyTextIsOneWord) {
  EXPECT_EQ(ShellQuote("a b"), "'a b'");
  EXPECT_EQ(ShellQuote("it's"), R"('it'\''s')");
}

}  // namespace
}  // namespace burnish::agent
