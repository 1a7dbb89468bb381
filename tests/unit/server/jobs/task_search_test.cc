#include "server/jobs/task_search.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/jobs/farm.h"

namespace burnish::jobs {
namespace {

JobPlan PlanOf(const std::string& tail) {
  auto plan = JobPlan::Read(JobOf(tail));
  EXPECT_TRUE(plan.ok()) << plan.status();
  return *std::move(plan);
}

TaskSearch NewSearch(const JobPlan& plan) { return *TaskSearch::Rebuild(plan, {}); }

// The trials as the store keeps them.
class Stored {
 public:
  void Add(const std::vector<store::NewTrial>& proposals) {
    for (const store::NewTrial& proposal : proposals) {
      store::Trial trial;
      trial.what = proposal;
      trials_.push_back(trial);
    }
  }
  store::Trial Finish(size_t number, work::Outcome outcome, const std::string& message = "") {
    store::Trial& trial = trials_.at(number);
    trial.finished_position = finished_++;
    trial.outcome = outcome;
    trial.message = message;
    return trial;
  }
  const std::vector<store::Trial>& trials() const { return trials_; }

 private:
  std::vector<store::Trial> trials_;
  int64_t finished_ = 0;
};

TEST(TaskSearch, StartsWithTheDefaultConfiguration) {
  const JobPlan plan = PlanOf("  default: {A: 4, B: 7}\nbudget: {trials: 10}");
  TaskSearch search = NewSearch(plan);
  const auto proposals = search.Propose(3);
  ASSERT_EQ(proposals.size(), 3u);
  EXPECT_EQ(space::ToJson(proposals[0].configuration), R"({"A": 4, "B": 7})");
  EXPECT_EQ(proposals[2].number, TrialNumber(2));
}

// A trial of this latency, verified unless it is not.
store::Trial Timed(store::Trial trial, double seconds, bool verified = true) {
  trial.latency = work::Latency{"p20", seconds, {0.9 * seconds, 1.1 * seconds}, 0, seconds};
  trial.correctness.verified = verified;
  trial.device = DeviceId("a/cpu:0");
  return trial;
}

TEST(TaskSearch, CandidatesRaceAgainstTheBestThatMayWin) {
  const JobPlan plan = PlanOf("budget: {trials: 10}");
  TaskSearch search = NewSearch(plan);
  Stored stored;
  stored.Add(search.Propose(4));
  EXPECT_FALSE(stored.trials()[0].what.incumbent.has_value());
  search.Observe(std::vector{Timed(stored.Finish(0, work::Outcome::kOk), 3e-3),
                             Timed(stored.Finish(1, work::Outcome::kOk), 2e-3),
                             Timed(stored.Finish(2, work::Outcome::kOk), 1e-3, false)});
  const auto next = search.Propose(4);
  ASSERT_EQ(next.size(), 3u);
  ASSERT_TRUE(next[0].incumbent.has_value());
  EXPECT_DOUBLE_EQ(next[0].incumbent->seconds, 2.2e-3);
  EXPECT_EQ(next[0].incumbent->device, DeviceId("a/cpu:0"));
}

TEST(TaskSearch, NobodyRacesForSeveralObjectivesOrWhereTheJobSaysSo) {
  for (const char* tail : {"objectives: [latency, memory]\nbudget: {trials: 10}",
                           "measure: {race: false}\nbudget: {trials: 10}"}) {
    const JobPlan plan = PlanOf(tail);
    TaskSearch search = NewSearch(plan);
    Stored stored;
    stored.Add(search.Propose(2));
    search.Observe(std::vector{Timed(stored.Finish(0, work::Outcome::kOk), 3e-3)});
    EXPECT_FALSE(search.Propose(2).at(0).incumbent.has_value()) << tail;
  }
}

TEST(TaskSearch, KeepsPendingTrialsAtTheTargetAndWithinTheBudget) {
  const JobPlan plan = PlanOf("budget: {trials: 5}");
  TaskSearch search = NewSearch(plan);
  Stored stored;
  stored.Add(search.Propose(3));
  EXPECT_EQ(search.pending(), 3);
  EXPECT_TRUE(search.Propose(3).empty());
  search.Observe(std::vector{stored.Finish(1, work::Outcome::kOk)});
  const auto next = search.Propose(3);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].observed, 1);
  stored.Add(next);
  EXPECT_EQ(search.Propose(10).size(), 1u);
  EXPECT_FALSE(search.Complete());
}

TEST(TaskSearch, IsCompleteWhenEverythingProposedHasEnded) {
  const JobPlan plan = PlanOf("budget: {trials: 2}");
  TaskSearch search = NewSearch(plan);
  Stored stored;
  EXPECT_FALSE(search.Complete());
  stored.Add(search.Propose(6));
  search.Observe(std::vector{stored.Finish(0, work::Outcome::kOk)});
  EXPECT_FALSE(search.Complete());
  search.Observe(std::vector{stored.Finish(1, work::Outcome::kInfrastructure)});
  EXPECT_TRUE(search.Complete());
}

TEST(TaskSearch, ProposesTheSameAfterARebuildAtAnyPoint) {
  const JobPlan plan = PlanOf("budget: {trials: 40}\nstrategy: {name: random, seed: 7}");
  TaskSearch uninterrupted = NewSearch(plan);
  Stored stored;
  size_t finished = 0;
  while (!uninterrupted.Complete()) {
    auto rebuilt = TaskSearch::Rebuild(plan, stored.trials());
    ASSERT_TRUE(rebuilt.ok()) << rebuilt.status();
    for (size_t number = rebuilt->observed(); number < finished; ++number) {
      rebuilt->Observe(std::vector{stored.trials()[number]});
    }
    const auto proposals = uninterrupted.Propose(4);
    const auto again = rebuilt->Propose(4);
    ASSERT_EQ(proposals.size(), again.size());
    for (size_t i = 0; i < proposals.size(); ++i) {
      EXPECT_EQ(proposals[i].number, again[i].number);
      EXPECT_EQ(proposals[i].index, again[i].index);
      EXPECT_EQ(proposals[i].observed, again[i].observed);
    }
    stored.Add(proposals);
    uninterrupted.Observe(std::vector{stored.Finish(finished++, work::Outcome::kOk)});
  }
  EXPECT_EQ(finished, 40u);
}

TEST(TaskSearch, GoesOnFromTrialsThatItsStrategyWouldNotPropose) {
  const JobPlan plan = PlanOf("budget: {trials: 64}\nstrategy: {name: random, seed: 7}");
  Stored stored;
  std::vector<store::NewTrial> foreign;
  for (uint64_t index = 0; index < 60; ++index) {
    foreign.push_back({.number = TrialNumber(static_cast<int64_t>(index)),
                       .index = index,
                       .configuration = plan.space().At(index),
                       .observed = 0});
  }
  stored.Add(foreign);
  auto search = TaskSearch::Rebuild(plan, stored.trials());
  ASSERT_TRUE(search.ok()) << search.status();
  std::vector<uint64_t> rest;
  for (const auto& proposal : search->Propose(100)) rest.push_back(proposal.index);
  EXPECT_THAT(rest, testing::UnorderedElementsAre(60, 61, 62, 63));
}

TEST(TaskSearch, RefusesTrialsOfAnotherSpace) {
  const JobPlan plan = PlanOf("budget: {trials: 64}");
  Stored stored;
  stored.Add({{.number = TrialNumber(0),
               .index = 3,
               .configuration = {{.name = "C", .value = int64_t{1}}},
               .observed = 0}});
  const auto search = TaskSearch::Rebuild(plan, stored.trials());
  EXPECT_THAT(std::string(search.status().message()), testing::HasSubstr("stored trial #0"));
  stored = Stored();
  stored.Add({{.number = TrialNumber(0), .index = 64, .configuration = {}, .observed = 0}});
  EXPECT_FALSE(TaskSearch::Rebuild(plan, stored.trials()).ok());
}

TEST(TaskSearch, IsHopelessWhenTheFirstTwentyTrialsFail) {
  const JobPlan plan = PlanOf("budget: {trials: 50}");
  TaskSearch search = NewSearch(plan);
  Stored stored;
  stored.Add(search.Propose(30));
  for (size_t number = 0; number < 20; ++number) {
    EXPECT_EQ(search.Hopeless(), std::nullopt);
    search.Observe(
        std::vector{number == 7 ? stored.Finish(number, work::Outcome::kTimeout, "ran past 10 s")
                                : stored.Finish(number, work::Outcome::kCompileError, "no ';'")});
  }
  EXPECT_EQ(search.Hopeless(),
            "all of the first 20 trials failed: compile_error 19, timeout 1\n"
            "compile_error (#0): no ';'\ntimeout (#7): ran past 10 s");
  search.Observe(std::vector{stored.Finish(20, work::Outcome::kOk)});
  EXPECT_NE(search.Hopeless(), std::nullopt);
}

TEST(TaskSearch, HasHopeWithOneSuccessAmongTheFirstTwenty) {
  const JobPlan plan = PlanOf("budget: {trials: 50}");
  TaskSearch search = NewSearch(plan);
  Stored stored;
  stored.Add(search.Propose(30));
  for (size_t number = 0; number < 30; ++number) {
    search.Observe(std::vector{
        stored.Finish(number, number == 19 ? work::Outcome::kOk : work::Outcome::kCompileError)});
    EXPECT_EQ(search.Hopeless(), std::nullopt);
  }
}

TEST(TaskSearch, ASmallerBudgetIsHopelessWhenAllOfItFails) {
  const JobPlan plan = PlanOf("budget: {trials: 2}");
  TaskSearch search = NewSearch(plan);
  Stored stored;
  stored.Add(search.Propose(6));
  search.Observe(std::vector{stored.Finish(0, work::Outcome::kCrash, "signal 11")});
  EXPECT_EQ(search.Hopeless(), std::nullopt);
  search.Observe(std::vector{stored.Finish(1, work::Outcome::kCrash, "signal 6")});
  EXPECT_EQ(search.Hopeless(), "all of the 2 trials failed: crash 2\ncrash (#0): signal 11");
}

}  // namespace
}  // namespace burnish::jobs
