// Attempt after attempt in one agent: memory and descriptors stay as they are.
//
// 300 attempts; BURNISH_ATTEMPTS for more.
#include <cstdio>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/environment.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"
#include "tests/hostile/leftovers.h"

namespace burnish::hostile {
namespace {

using e2e::Burnish;
using e2e::CommandResult;

// What allocators keep after the first hundred attempts, more or less by chance.
constexpr int64_t kSlackBytes = 8 << 20;

// Attempts without a compiler; `first` tells the jobs' configurations apart.
std::string JobText(int first, int attempts) {
  std::vector<int> hundreds, ones;
  for (int i = 0; i < (attempts + 99) / 100; ++i) hundreds.push_back(first + i);
  for (int i = 0; i < 100; ++i) ones.push_back(i);
  return absl::StrCat(R"(name: many
kernel:
  language: cpp
  source: {file: kernel.cc}
  entry: scale
  arguments:
    - {name: c, dtype: f32, shape: [1024], role: output}
  reference: none
  parameters:
    HUNDREDS: [)",
                      absl::StrJoin(hundreds, ", "), "]\n    ONES: [", absl::StrJoin(ones, ", "),
                      "]\nmeasure: {number: 1, repeat: 1, warmup: 0}\nstrategy: exhaustive\n"
                      "budget: {trials: ",
                      100 * hundreds.size(), "}\n");
}

struct Use {
  int64_t resident_bytes = 0;
  int descriptors = 0;
  size_t processes = 0;
};

// The agent's, its workers' and their sandboxes'.
Use UseOf(pid_t agent) {
  std::vector<pid_t> processes = e2e::DescendantsOf(agent);
  processes.push_back(agent);
  Use use{.processes = processes.size()};
  for (const pid_t process : processes) {
    use.resident_bytes += ResidentBytes(process);
    use.descriptors += OpenDescriptors(process);
  }
  return use;
}

TEST(AttemptsTest, ManyAttemptsLeaveMemoryAndDescriptorsAsTheyAre) {
  int attempts = 300;
  if (const auto text = EnvironmentVariable("BURNISH_ATTEMPTS")) {
    ASSERT_TRUE(absl::SimpleAtoi(*text, &attempts) && attempts > 0) << *text;
  }
  const e2e::TemporaryFolder folder;
  e2e::Farm farm(folder);
  farm.StartServer();
  farm.StartAgent({"--backend", "null"});
  ASSERT_TRUE(farm.WaitForDevice()) << farm.agent().Log();
  folder.Write("kernel.cc", "void scale(float* c) {}\n");
  const auto run = [&](int first, int count) {
    const std::string job = folder.Write("job.yaml", JobText(first, count));
    const CommandResult tuned = Burnish({"tune", job, "--json", "--server", farm.address()}, {},
                                        absl::Minutes(2) + count * absl::Milliseconds(100));
    // Exit code 1: without a reference there is no verified best.
    ASSERT_EQ(tuned.Json()["state"], "done") << tuned.err << farm.agent().Log();
  };
  ASSERT_NO_FATAL_FAILURE(run(1000, 100));
  const Use before = UseOf(farm.agent().pid());
  ASSERT_NO_FATAL_FAILURE(run(0, attempts));
  const Use after = UseOf(farm.agent().pid());
  std::printf(
      "%d attempts: %zu -> %zu processes, %d -> %d descriptors, %.1f -> %.1f MiB resident\n",
      attempts, before.processes, after.processes, before.descriptors, after.descriptors,
      static_cast<double>(before.resident_bytes) / (1 << 20),
      static_cast<double>(after.resident_bytes) / (1 << 20));
  EXPECT_LE(after.processes, before.processes);
  EXPECT_LE(after.descriptors, before.descriptors);
  EXPECT_LE(after.resident_bytes, before.resident_bytes + kSlackBytes);
}

}  // namespace
}  // namespace burnish::hostile
