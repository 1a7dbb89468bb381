// The roofline in the search of a job: what it rules out is not measured, and said.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/jobs/snapshot.h"
#include "tests/unit/server/jobs/farm.h"

namespace burnish::jobs {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kStrategy[] = "budget: {trials: 40}\nstrategy: {name: random, seed: 9}";

// Moves more the larger B is.
spec::JobText Job(const std::string& tail = kStrategy) {
  spec::JobText job = JobOf(tail);
  const std::string written = R"({flops: "2 * n"})";
  job.text.replace(job.text.find(written), written.size(),
                   R"({flops: "2 * n", bytes: "1000 * B * B"})");
  return job;
}

// Below which no kernel is: 0.087 ms for B = 1, 5.6 ms for B = 8. The best takes 1.06 ms.
work::DeviceInfo WithRoofs() {
  work::DeviceInfo device = Cpu();
  device.roofs = {
      .peaks = {{"f32", 1, 1e12}}, .bandwidths = {{"memory", 1 << 20, 1, 1e7}}, .absence = ""};
  return device;
}

// A device whose roofs become known after `pending_rounds`; with `restarts` the server is another
// one in every round.
struct Tuned {
  std::vector<space::ConfigurationIndex> proposed;
  std::string pruned;
  std::string reason;
  TrialNumber from;
};
Tuned Tune(const spec::JobText& job, int pending_rounds, bool restarts) {
  Farm farm;
  work::DeviceInfo pending = Cpu();
  pending.roofs.absence = work::kRoofsPending;
  farm.Attach("a", pending, Bowl);
  const JobId id = farm.Submit(job);
  for (int round = 0; round < 200; ++round) {
    if (restarts) farm.RestartServer();
    farm.Advance();
    farm.Serve();
    if (round == pending_rounds) {
      farm.Detach("a");
      farm.Attach("a", WithRoofs(), Bowl);
    }
  }
  Tuned run;
  for (const store::Trial& trial : farm.Trials(id)) run.proposed.push_back(trial.what.index);
  const store::Task task = farm.Get(id).tasks[0];
  EXPECT_EQ(task.state, store::State::kDone) << task.reason;
  run.reason = task.reason;
  if (task.roofs) run.from = task.roofs->from;
  run.pruned = TakeSnapshot(farm.store(), kTeam, id)->tasks[0].pruned;
  return run;
}

int CountAbove(const Tuned& run, int64_t most_b, size_t from) {
  const auto space = space::SearchSpace::Create(
      {{"A", {1, 2, 3, 4, 5, 6, 7, 8}}, {"B", {1, 2, 3, 4, 5, 6, 7, 8}}}, {});
  int above = 0;
  for (size_t i = from; i < run.proposed.size(); ++i) {
    above += ValueOf(space->At(run.proposed[i]), "B") > most_b ? 1 : 0;
  }
  return above;
}

TEST(PruningInJobs, MeasuresNothingThatTheRooflineRulesOutAndSaysSo) {
  const Tuned run = Tune(Job(), 3, false);
  EXPECT_GT(run.from, TrialNumber(0));
  // Whatever was the best by then, B = 7 takes 4.3 ms at least.
  EXPECT_GT(CountAbove(run, 6, 0), 0) << "before the roofs were known";
  EXPECT_EQ(CountAbove(run, 6, static_cast<size_t>(run.from.value())), 0);
  EXPECT_THAT(run.pruned, HasSubstr("by the roofline "));
  EXPECT_THAT(run.pruned, HasSubstr(" configurations, e.g. {\"A\": "));
}

TEST(PruningInJobs, IsTheSameWithARestartAtEveryStep) {
  for (const int pending_rounds : {0, 5}) {
    for (const std::string tail : {kStrategy, "budget: {trials: 40}"}) {
      const Tuned whole = Tune(Job(tail), pending_rounds, false);
      const Tuned pieces = Tune(Job(tail), pending_rounds, true);
      EXPECT_EQ(pieces.proposed, whole.proposed);
      EXPECT_EQ(pieces.from, whole.from);
      EXPECT_NE(pieces.pruned, "");
      EXPECT_NE(whole.pruned, "");
    }
  }
}

TEST(PruningInJobs, EndsTheSearchWhenNothingIsLeftThatCouldBeFaster) {
  // All bounds but those of B = 1 are above whatever is measured.
  spec::JobText job = Job("budget: {trials: 40}\nstrategy: random");
  job.text.replace(job.text.find("1000 * B * B"), 12, "1 if B == 1 else 10 ** 9");
  const Tuned run = Tune(job, 0, true);
  EXPECT_LT(run.proposed.size(), 40u);
  EXPECT_EQ(run.reason, "the roofline leaves nothing that could be faster");
}

TEST(PruningInJobs, NeedsWorkThatDependsOnTheParametersAndLatencyAlone) {
  EXPECT_THAT(Tune(JobOf(kStrategy), 0, false).pruned, IsEmpty());
  EXPECT_THAT(Tune(Job(std::string(kStrategy) + "\nobjectives: [throughput]"), 0, false).pruned,
              IsEmpty());
}

TEST(PruningInJobs, TheWorkOfATaskIsThatOfTheDefaultConfiguration) {
  Farm farm;
  farm.Attach("a", WithRoofs(), Bowl);
  const JobId id = farm.Submit(Job("  default: {A: 1, B: 3}"));
  EXPECT_EQ(farm.Get(id).tasks[0].what.work, (work::KernelWork{32, 9000, 64, "f32"}));
}

}  // namespace
}  // namespace burnish::jobs
