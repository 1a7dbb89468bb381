#include "common/base/subprocess.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/poll.h"

namespace burnish {
namespace {

constexpr absl::Duration kLong = absl::Seconds(30);

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    output = UniqueFd(ends[0]);
    input = UniqueFd(ends[1]);
  }
  // Everything up to the end of the pipe, which comes when its last writer is gone.
  std::string ReadToEnd() {
    input.Reset();
    std::string text;
    char piece[256];
    while (true) {
      pollfd poll{.fd = output.get(), .events = POLLIN, .revents = 0};
      if (!PollUntil({&poll, 1}, DeadlineAfter(kLong))) return text + " (a writer is left)";
      const ssize_t got = ::read(output.get(), piece, sizeof(piece));
      if (got <= 0) return text;
      text.append(piece, static_cast<size_t>(got));
    }
  }
  UniqueFd output, input;
};

SpawnOptions Shell(const std::string& script) {
  SpawnOptions options;
  options.arguments = {"/bin/sh", "-c", script};
  return options;
}

std::string OutputOf(const SpawnOptions& options) {
  const absl::StatusOr<CapturedRun> run = RunCaptured(options, kLong, 1 << 16);
  if (!run.ok()) return run.status().ToString();
  EXPECT_TRUE(run->status.ok()) << ToText(run->status);
  return run->output;
}

ptrdiff_t OpenDescriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

TEST(ExitStatus, ReadsLikeWords) {
  EXPECT_EQ(ToText(ExitStatus{.code = 3, .signal = 0}), "exit code 3");
  EXPECT_EQ(ToText(ExitStatus{.code = 0, .signal = SIGSEGV}), "signal 11 (Segmentation fault)");
}

TEST(ChildProcess, ReportsHowItEnded) {
  absl::StatusOr<ChildProcess> child = ChildProcess::Spawn(Shell("exit 3"));
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_TRUE(child->running());
  EXPECT_EQ(child->Wait(kLong)->code, 3);
  EXPECT_FALSE(child->running());
  child->Kill();  // nothing left: no process may be hit

  child = ChildProcess::Spawn(Shell("kill -SEGV $$"));
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_EQ(child->Wait(kLong)->signal, SIGSEGV);
}

TEST(ChildProcess, NamesAProgramThatIsNotThere) {
  SpawnOptions options;
  options.arguments = {"/no/such/program"};
  const absl::Status status = ChildProcess::Spawn(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(std::string(status.message()),
            "cannot start /no/such/program: No such file or directory");
}

TEST(ChildProcess, WaitsNoLongerThanTold) {
  absl::StatusOr<ChildProcess> child = ChildProcess::Spawn(Shell("exec sleep 1000"));
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_EQ(child->Wait(absl::ZeroDuration()), std::nullopt);
  EXPECT_EQ(child->Wait(absl::Milliseconds(1)), std::nullopt);
  EXPECT_TRUE(child->running());
  child->Signal(SIGTERM);
  EXPECT_EQ(child->Wait(kLong)->signal, SIGTERM);
}

TEST(ChildProcess, IsKilledFromAnotherThread) {
  absl::StatusOr<ChildProcess> child = ChildProcess::Spawn(Shell("exec sleep 1000"));
  ASSERT_TRUE(child.ok()) << child.status();
  const std::jthread killer([&] { child->Kill(); });
  EXPECT_EQ(child->Wait(kLong)->signal, SIGKILL);
}

TEST(ChildProcess, TakesItsWholeGroupAlong) {
  for (const bool new_session : {false, true}) {
    Pipe pipe;
    SpawnOptions options = Shell("sleep 1000 & echo started; wait");
    options.descriptors = {{1, pipe.input.get()}};
    options.new_session = new_session;
    {
      absl::StatusOr<ChildProcess> child = ChildProcess::Spawn(options);
      ASSERT_TRUE(child.ok()) << child.status();
      char text[8];
      ASSERT_EQ(::read(pipe.output.get(), text, sizeof(text)), 8);  // sleep is running
    }
    EXPECT_EQ(pipe.ReadToEnd(), "");
  }
}

TEST(ChildProcess, LeavesNothingOfItsGroupWhenItEndsByItself) {
  Pipe pipe;
  SpawnOptions options = Shell("sleep 1000 & exit 5");
  options.descriptors = {{1, pipe.input.get()}};
  absl::StatusOr<ChildProcess> child = ChildProcess::Spawn(options);
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_EQ(child->Wait(kLong)->code, 5);
  EXPECT_EQ(pipe.ReadToEnd(), "");
}

TEST(ChildProcess, GoesOnWhenReleased) {
  pid_t pid = -1;
  {
    absl::StatusOr<ChildProcess> child = ChildProcess::Spawn(Shell("exec sleep 1000"));
    ASSERT_TRUE(child.ok()) << child.status();
    pid = child->pid();
    child->Release();
    EXPECT_FALSE(child->running());
  }
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), 0);
  ::kill(pid, SIGKILL);
  EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
}

TEST(ChildProcess, MovesWithItsProcess) {
  absl::StatusOr<ChildProcess> first = ChildProcess::Spawn(Shell("exec sleep 1000"));
  ASSERT_TRUE(first.ok()) << first.status();
  ChildProcess second = *std::move(first);
  EXPECT_FALSE(first->running());
  EXPECT_TRUE(second.running());
  second = ChildProcess();  // ends the one it held
  EXPECT_FALSE(second.running());
}

TEST(ChildProcess, SeesOnlyTheDescriptorsItWasGiven) {
  int leaky[2];
  ASSERT_EQ(::pipe(leaky), 0);  // not close-on-exec
  SpawnOptions options;
  options.arguments = {"/bin/ls", "/proc/self/fd"};
  EXPECT_EQ(OutputOf(options), "0\n1\n2\n3\n");  // 3: the folder being listed
  options.descriptors = {{5, leaky[0]}};
  EXPECT_EQ(OutputOf(options), "0\n1\n2\n3\n5\n");
  ::close(leaky[0]);
  ::close(leaky[1]);
}

TEST(ChildProcess, GetsNullForStreamsThatAreNotGiven) {
  SpawnOptions options = Shell("readlink /proc/self/fd/0; cat");
  EXPECT_EQ(OutputOf(options), "/dev/null\n");
}

TEST(ChildProcess, MayGetDescriptorsCrossed) {
  Pipe a, b;
  const int first = a.input.get(), second = b.input.get();
  SpawnOptions options = Shell(
      absl::StrCat("echo one > /proc/self/fd/", first, "; echo two > /proc/self/fd/", second));
  options.descriptors = {{first, second}, {second, first}};
  absl::StatusOr<ChildProcess> child = ChildProcess::Spawn(options);
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_TRUE(child->Wait(kLong)->ok());
  EXPECT_EQ(a.ReadToEnd(), "two\n");
  EXPECT_EQ(b.ReadToEnd(), "one\n");
}

TEST(ChildProcess, RefusesADescriptorThatIsNotOpen) {
  SpawnOptions options = Shell("exit 0");
  options.descriptors = {{1, 1'000'000}};
  EXPECT_FALSE(ChildProcess::Spawn(options).ok());
}

TEST(ChildProcess, InheritsOrReplacesTheEnvironment) {
  ::setenv("BURNISH_TEST_VARIABLE", "inherited", 1);
  EXPECT_EQ(OutputOf(Shell("echo $BURNISH_TEST_VARIABLE")), "inherited\n");
  SpawnOptions options = Shell("echo $BURNISH_TEST_VARIABLE/$OTHER");
  options.environment = std::vector<std::string>{"OTHER=x"};
  EXPECT_EQ(OutputOf(options), "/x\n");
  ::unsetenv("BURNISH_TEST_VARIABLE");
}

TEST(ChildProcess, StartsInItsFolder) {
  SpawnOptions options = Shell("pwd");
  options.working_folder = "/usr/bin";
  EXPECT_EQ(OutputOf(options), "/usr/bin\n");
}

TEST(ChildProcess, StartsWithoutBlockedOrIgnoredSignals) {
  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  const auto handler = ::signal(SIGPIPE, SIG_IGN);
  for (const int signal : {SIGTERM, SIGPIPE}) {
    absl::StatusOr<ChildProcess> child =
        ChildProcess::Spawn(Shell(absl::StrCat("kill -", signal, " $$; exit 0")));
    ASSERT_TRUE(child.ok()) << child.status();
    EXPECT_EQ(child->Wait(kLong)->signal, signal);
  }
  ::signal(SIGPIPE, handler);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(RunCaptured, CollectsBothStreams) {
  EXPECT_EQ(OutputOf(Shell("echo out; echo err >&2")), "out\nerr\n");
}

TEST(RunCaptured, CutsTheOutputButRunsToTheEnd) {
  const auto run =
      RunCaptured(Shell("head -c 1000000 /dev/zero | tr '\\0' x; exit 7"), kLong, 1000);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->output, std::string(1000, 'x'));
  EXPECT_EQ(run->status.code, 7);
  EXPECT_FALSE(run->timed_out);
}

TEST(RunCaptured, EndsAProgramThatTakesTooLong) {
  for (const char* script : {"echo begun; sleep 1000", "echo begun; yes"}) {
    const auto run = RunCaptured(Shell(script), absl::Milliseconds(100), 6);
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_TRUE(run->timed_out) << script;
    EXPECT_EQ(run->status.signal, SIGKILL);
    EXPECT_EQ(run->output, "begun\n");
  }
}

TEST(RunCaptured, DoesNotWaitForAGrandchildThatHoldsThePipe) {
  const auto run = RunCaptured(Shell("setsid sleep 1000 & echo $!"), kLong, 100);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_FALSE(run->timed_out);
  int pid = 0;
  ASSERT_TRUE(absl::SimpleAtoi(run->output, &pid)) << run->output;
  ::kill(pid, SIGKILL);
}

TEST(RunCaptured, LeaksNoDescriptors) {
  const ptrdiff_t before = OpenDescriptors();
  SpawnOptions missing;
  missing.arguments = {"/no/such/program"};
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(RunCaptured(Shell("exit 0"), kLong, 10).ok());
    EXPECT_TRUE(RunCaptured(Shell("exec sleep 1000"), absl::ZeroDuration(), 10)->timed_out);
    EXPECT_FALSE(RunCaptured(missing, kLong, 10).ok());
  }
  EXPECT_EQ(OpenDescriptors(), before);
}

TEST(DieWithParent, AsksForAKill) {
  EXPECT_EXIT(
      {
        DieWithParent();
        int signal = 0;
        ::prctl(PR_GET_PDEATHSIG, &signal);
        ::_exit(signal == SIGKILL ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace burnish
