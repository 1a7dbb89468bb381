// Kernels that crash, hang, bomb, pry and forge, given to a real agent by a real server: each gets
// the outcome it deserves, the agent lives on, its control kernel is right within ten seconds, and
// nothing is left over.
//
// Every kind twice; BURNISH_HOSTILE_REPEAT for more.
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "agent/sandbox/framed_worker.h"
#include "common/base/clock.h"
#include "common/base/environment.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"
#include "tests/hostile/kinds.h"
#include "tests/hostile/leftovers.h"

namespace burnish::hostile {
namespace {

using e2e::Burnish;
using e2e::CommandResult;

constexpr absl::Duration kCanaryTime = absl::Seconds(10);

int Repeats() {
  int repeats = 2;
  if (const auto text = EnvironmentVariable("BURNISH_HOSTILE_REPEAT")) {
    EXPECT_TRUE(absl::SimpleAtoi(*text, &repeats) && repeats >= 1) << *text;
  }
  return repeats;
}

std::vector<int> AllKinds() {
  std::vector<int> numbers(Kinds().size());
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

int NumberOf(const std::string& name) {
  return static_cast<int>(std::ranges::find(Kinds(), name, &Kind::name) - Kinds().begin());
}

std::string JobText(int first_round, int rounds, const std::vector<int>& kinds, int timeout) {
  std::vector<int> numbers;
  for (int i = 0; i < rounds; ++i) numbers.push_back(first_round + i);
  return absl::StrCat(R"(name: hostile
kernel:
  language: cpp
  source: {file: hostile.cc}
  entry: scale
  flags: [-O1]
  arguments:
    - {name: input, dtype: f32, shape: [4096], fill: uniform}
    - {name: output, dtype: f32, shape: [4096], role: output}
    - {name: size, dtype: i32, value: 4096}
  reference: {language: cpp, source: {file: reference.cc}, entry: scale_reference}
  parameters:
    ROUND: [)",
                      absl::StrJoin(numbers, ", "), R"(]
    KIND: [)",
                      absl::StrJoin(kinds, ", "), R"(]
measure: {number: 1, repeat: 1, warmup: 0, timeout: )",
                      timeout, R"(}
strategy: exhaustive
budget: {trials: )",
                      kinds.size() * numbers.size(), "}\n");
}

constexpr char kReference[] = R"(
extern "C" void scale_reference(const float* a, float* c, int n) {
  for (int i = 0; i < n; ++i) c[i] = 2 * a[i] + 0.125f;
}
)";

// When something happened, as the agent's log says: `event` with `text` in its line.
std::vector<absl::Time> TimesOf(const std::string& log, const std::string& event,
                                const std::string& text) {
  std::vector<absl::Time> times;
  std::stringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(absl::StrCat("\"event\":\"", event, "\"")) == std::string::npos) continue;
    if (line.find(text) == std::string::npos) continue;
    const nlohmann::json entry = nlohmann::json::parse(line, nullptr, false);
    absl::Time time;
    if (entry.is_discarded() || !entry.contains("ts") ||
        !absl::ParseTime(absl::RFC3339_full, entry["ts"].get<std::string>(), &time, nullptr)) {
      ADD_FAILURE() << "no time: " << line;
      continue;
    }
    times.push_back(time);
  }
  return times;
}

class HostileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    farm_.StartServer();
    ASSERT_FALSE(HasFatalFailure());
    // The control kernel after every single attempt. A virtual machine may take seconds to come by
    // the first of its own gigabytes: a hog shall need few of them.
    farm_.StartAgent(
        {"--control-interval", "1", "--measure-roofs", "never", "--candidate-memory", "1024"});
    ASSERT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();
    const std::string& address = farm_.address();
    folder_.Write("hostile.cc", CombinedSource(absl::StrCat(
                                    "#define SERVER_PORT ", address.substr(address.rfind(':') + 1),
                                    "\n#define FARM_FOLDER \"", folder_.path(),
                                    "\"\n#define STATE_FOLDER \"", state_folder(), "\"\n")));
    folder_.Write("reference.cc", kReference);
  }

  std::string state_folder() const { return folder_.path() + "/agent"; }

  // Has every kind run in so many rounds, and notes what became of each.
  void RunJob(int first_round, int rounds) {
    const std::string text = JobText(first_round, rounds, AllKinds(), 3);
    const CommandResult tuned =
        Burnish({"tune", folder_.Write("job.yaml", text), "--json", "--server", farm_.address()},
                {}, absl::Minutes(5) + rounds * absl::Minutes(2));
    ASSERT_EQ(tuned.exit_code, 0) << tuned.err << farm_.agent().Log();
    const std::string job = tuned.Json()["job_id"];
    for (const nlohmann::json& record :
         Burnish({"records", job, "--json", "--server", farm_.address()}).JsonLines()) {
      const Kind& kind = Kinds()[record["configuration"]["KIND"].get<size_t>()];
      const std::string outcome = record["outcome"];
      ++attempts_[kind.name][outcome];
      EXPECT_TRUE(kind.outcomes.contains(outcome))
          << kind.name << ": " << outcome << ": " << record["message"];
    }
  }

  // What is there when nothing is being done; workers may still be ending runners.
  std::map<std::string, int> Quiet() {
    std::map<std::string, int> counts;
    e2e::WaitUntil(
        [&] {
          counts = CountLeftovers(farm_.agent().pid(), state_folder());
          return counts["runners"] == 0;
        },
        absl::Seconds(10));
    return counts;
  }

  void PrintTable(int rounds) {
    int right = 0, all = 0;
    for (const Kind& kind : Kinds()) {
      std::string found;
      int of_kind = 0;
      for (const auto& [outcome, count] : attempts_[kind.name]) {
        absl::StrAppend(&found, found.empty() ? "" : ", ", outcome, " ", count);
        of_kind += count;
        right += kind.outcomes.contains(outcome) ? count : 0;
      }
      all += of_kind;
      EXPECT_EQ(of_kind, rounds) << kind.name;
      std::printf("%-22s %3d  %s\n", kind.name.c_str(), of_kind, found.c_str());
    }
    std::printf("%d of %d outcomes right\n", right, all);
  }

  const e2e::TemporaryFolder folder_;
  e2e::Farm farm_{folder_};
  std::map<std::string, std::map<std::string, int>> attempts_;  // by kind and outcome
};

TEST_F(HostileTest, EveryKindGetsItsOutcomeAndLeavesNothing) {
  const int rounds = Repeats();
  const pid_t agent = farm_.agent().pid();
  ASSERT_NO_FATAL_FAILURE(RunJob(0, 1));
  const std::map<std::string, int> before = Quiet();
  if (rounds > 1) {
    ASSERT_NO_FATAL_FAILURE(RunJob(1, rounds - 1));
  }
  const std::map<std::string, int> after = Quiet();
  PrintTable(rounds);

  EXPECT_TRUE(farm_.agent().running());
  EXPECT_EQ(farm_.agent().pid(), agent);
  for (const auto& [what, count] : after) {
    std::printf("%-14s %4d after one round, %4d after all\n", what.c_str(), before.at(what), count);
    EXPECT_LE(count, before.at(what)) << what;
  }
  for (const char* what : {"runners", "shared memory", "files"}) EXPECT_EQ(after.at(what), 0);

  const std::string log = farm_.agent().Log();
  const auto started = TimesOf(log, "configuration_started", "KIND");
  const auto reported = TimesOf(log, "report_acknowledged", "");
  const auto fine = TimesOf(log, "control_kernel_measured", "\"outcome\":\"ok\"");
  const auto canaries = TimesOf(log, "control_kernel_measured", "");
  EXPECT_EQ(fine.size(), canaries.size());
  EXPECT_GE(started.size(), Kinds().size() * static_cast<size_t>(rounds));
  absl::Duration longest;
  for (const absl::Time time : reported) {
    const auto next = std::ranges::lower_bound(fine, time);
    ASSERT_NE(next, fine.end()) << "no control kernel after " << time;
    longest = std::max(longest, *next - time);
  }
  std::printf("%zu of %zu control kernels fine, the next one after a report within %s\n",
              fine.size(), canaries.size(), absl::FormatDuration(longest).c_str());
  EXPECT_LE(longest, kCanaryTime);

  std::vector<pid_t> processes = e2e::DescendantsOf(agent);
  processes.push_back(agent);
  farm_.agent().Signal(SIGTERM);
  ASSERT_TRUE(farm_.agent().Wait(absl::Seconds(20)).has_value());
  EXPECT_THAT(GroupsOf(processes), ::testing::IsEmpty());
  for (const pid_t process : processes) {
    EXPECT_NE(::kill(process, 0), 0) << e2e::CommandLineOf(process);
  }
}

TEST_F(HostileTest, AKilledAgentLeavesNoProcess) {
  // A candidate that never ends, in whose middle the agent dies.
  const std::string job = JobText(0, 1, {0, NumberOf("endless_loop")}, 100);
  const CommandResult submitted =
      Burnish({"submit", folder_.Write("job.yaml", job), "--json", "--server", farm_.address()});
  ASSERT_EQ(submitted.exit_code, 0) << submitted.err;
  const std::string endless = absl::StrCat("\\\"KIND\\\": ", NumberOf("endless_loop"));
  ASSERT_TRUE(farm_.agent().WaitForLine(endless, absl::Seconds(60)).has_value());
  const pid_t agent = farm_.agent().pid();
  ASSERT_TRUE(e2e::WaitUntil([&] { return CountLeftovers(agent, state_folder())["runners"] > 0; },
                             absl::Seconds(20)));
  const std::vector<pid_t> processes = e2e::DescendantsOf(agent);
  farm_.agent().KillHard();
  for (const pid_t process : processes) {
    EXPECT_TRUE(e2e::WaitUntil([&] { return ::kill(process, 0) != 0; }, absl::Seconds(5)))
        << e2e::CommandLineOf(process);
  }
}

// A compiler's time is bounded by a minute in jobs: here by a second.
TEST(HostileSourceTest, AnEndlessCompileIsEndedWithAllItsProcesses) {
  const e2e::TemporaryFolder folder;
  auto task = std::make_shared<work::TaskDefinition>();
  task->problem = "endless";
  spec::Kernel& kernel = task->stages.emplace_back();
  kernel.language = "cpp";
  kernel.source.file = "endless.cc";
  kernel.source.text =
      "template <unsigned long path, int depth> struct Tree {\n"
      "  static constexpr int nodes =\n"
      "      Tree<2 * path, depth - 1>::nodes + Tree<2 * path + 1, depth - 1>::nodes;\n};\n"
      "template <unsigned long path> struct Tree<path, 0> { static constexpr int nodes = 1; };\n"
      "int endless[Tree<1, 60>::nodes];\nvoid kernel() {}\n";
  kernel.entry = "kernel";
  task->reference.kind = spec::Reference::Kind::kNone;
  task->measure.compile_timeout_seconds = 1;
  agent::WorkerCommand command = agent::DefaultWorkerCommand(agent::WorkerRole::kBuild);
  command.arguments.insert(command.arguments.end(), {"--writable", folder.path() + "/artefacts"});
  agent::FramedWorker worker(std::move(command));
  const agent::CompileOrder order{.backend = "cpu",
                                  .task = task,
                                  .configuration = space::Configuration(),
                                  .artefact_folder = folder.path() + "/artefacts"};
  const int rounds = Repeats();
  for (int i = 0; i < rounds; ++i) {
    const auto compiled = worker.Compile(order, {absl::Seconds(30), {}});
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    EXPECT_EQ(compiled->outcome, work::Outcome::kCompileTimeout) << compiled->message;
    const std::map<std::string, int> left = CountLeftovers(::getpid(), folder.path());
    EXPECT_EQ(left.at("files"), 0);
    // The worker, inside and outside of its namespaces.
    EXPECT_LE(left.at("processes"), 2);
  }
  std::printf("%-22s %3d  compile_timeout %d\n", "endless_compile", rounds, rounds);
}

}  // namespace
}  // namespace burnish::hostile
