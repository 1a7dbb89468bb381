#include "server/jobs/history.h"

#include <set>

#include "common/base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/jobs/job_plan.h"
#include "tests/unit/server/jobs/farm.h"

namespace burnish::jobs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

// `transfer`, because the space of these jobs is too small for `auto` to search.
spec::JobText Job(int trials, int seed, const std::string& more = "") {
  return JobOf(absl::StrCat("budget: {trials: ", trials,
                            "}\nstrategy: {name: transfer, seed: ", seed, more, "}"));
}

// The same kernel in another shape.
spec::JobText Reshaped(spec::JobText job) {
  job.text.replace(job.text.find("n: 16"), 5, "n: 32");
  return job;
}

std::vector<std::string> SourcesOf(Farm& farm, JobId id, size_t task = 0) {
  std::vector<std::string> names;
  const store::JobWithTasks job = farm.Get(id);
  for (const store::HistorySummary& source : job.tasks.at(task).history) {
    names.push_back(absl::StrCat(source.records, " ", source.name));
  }
  return names;
}

std::vector<store::HistorySource> HistoryOf(Farm& farm, JobId id) {
  auto history = farm.store().TaskHistory(kTeam, {id, 1});
  EXPECT_TRUE(history.ok()) << history.status();
  return *std::move(history);
}

std::vector<space::ConfigurationIndex> Proposed(Farm& farm, JobId id) {
  std::vector<space::ConfigurationIndex> indices;
  for (const store::Trial& trial : farm.Trials(id)) indices.push_back(trial.what.index);
  return indices;
}

TEST(History, IsTheSameProblemThenOtherDevicesThenOtherShapes) {
  Farm farm;
  farm.Attach("a", Cpu("zen4"), Bowl);
  farm.RunToEnd(farm.Submit(Job(20, 1)));
  farm.RunToEnd(farm.Submit(Reshaped(Job(15, 1))));
  farm.Detach("a");
  farm.clock().Advance(absl::Minutes(6));
  farm.Attach("b", Cpu("m1"), Bowl);
  farm.RunToEnd(farm.Submit(Job(12, 1)));
  farm.RunToEnd(farm.Submit(Reshaped(Job(11, 1))));
  const JobId next = farm.Submit(Job(10, 2));
  EXPECT_THAT(SourcesOf(farm, next),
              ElementsAre("12 toy on m1", "20 toy on zen4", "11 toy on m1", "15 toy on zen4"));
}

TEST(History, MergesTheTasksOfAProblem) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  farm.RunToEnd(farm.Submit(Job(20, 1, ", history: false")));
  farm.RunToEnd(farm.Submit(Job(20, 2, ", history: false")));
  const JobId next = farm.Submit(Job(10, 3));
  const std::vector<store::HistorySource> history = HistoryOf(farm, next);
  ASSERT_THAT(history, SizeIs(1));
  EXPECT_GT(history[0].records.size(), 20u);
  std::set<space::ConfigurationIndex> distinct;
  for (const store::HistoryRecord& record : history[0].records) distinct.insert(record.index);
  EXPECT_EQ(distinct.size(), history[0].records.size());
}

TEST(History, KeepsFailuresAsSuch) {
  Farm farm;
  farm.Attach("a", Cpu(), [](const space::Configuration& configuration) {
    return ValueOf(configuration, "A") > 4 ? AlwaysWrong(configuration) : Bowl(configuration);
  });
  farm.RunToEnd(farm.Submit(Job(40, 1)));
  const auto history = HistoryOf(farm, farm.Submit(Job(10, 2)));
  ASSERT_THAT(history, SizeIs(1));
  ASSERT_THAT(history[0].records, SizeIs(40));
  EXPECT_GT(history[0].records.front().latency_seconds, 0);
  EXPECT_EQ(history[0].records.back().latency_seconds, 0);
}

TEST(History, LeavesOutWhatIsOutsideTheSpaceAndTooSmallSources) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  farm.RunToEnd(farm.Submit(Job(64, 1)));
  const JobId some = farm.Submit(
      JobOf("  constraints: ['A <= 2', 'B < 8']\nbudget: {trials: 4}\nstrategy: {name: transfer}"));
  EXPECT_THAT(SourcesOf(farm, some), ElementsAre("14 toy on zen4"));
  const JobId few = farm.Submit(
      JobOf("  constraints: ['A == 2']\nbudget: {trials: 4}\nstrategy: {name: transfer}"));
  EXPECT_THAT(SourcesOf(farm, few), IsEmpty());
}

TEST(History, IsLeftOutWhereNothingWouldUseIt) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  farm.RunToEnd(farm.Submit(Job(30, 1)));
  EXPECT_THAT(SourcesOf(farm, farm.Submit(Job(10, 2, ", history: false"))), IsEmpty());
  const auto with = [](const std::string& strategy) {
    return JobOf("budget: {trials: 64}\nstrategy: " + strategy);
  };
  EXPECT_THAT(SourcesOf(farm, farm.Submit(with("random"))), IsEmpty());
  EXPECT_THAT(SourcesOf(farm, farm.Submit(with("auto"))), IsEmpty()) << "it is exhaustive here";
  EXPECT_THAT(SourcesOf(farm, farm.Submit(JobOf("budget: {trials: 10}"))), SizeIs(1));
}

TEST(History, IsOfTheSameCodeAndNamespaceAlone) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  farm.RunToEnd(farm.Submit(Job(30, 1)));
  spec::JobText changed = Job(10, 1);
  changed.files["toy.cpp"] += "// another\n";
  EXPECT_THAT(SourcesOf(farm, farm.Submit(changed)), IsEmpty());
  const Namespace others("others");
  const auto job = Submit(farm.store(), others, {.client_request_id = "r", .job = Job(10, 1)});
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_THAT(farm.store().GetJob(others, job->job)->tasks[0].history, IsEmpty());
}

TEST(History, OfNullDevicesIsNone) {
  Farm farm;
  farm.Attach("a", Cpu("null"), Bowl);
  farm.RunToEnd(farm.Submit(Job(30, 1)));
  EXPECT_THAT(SourcesOf(farm, farm.Submit(Job(10, 2))), IsEmpty());
}

TEST(History, HasImportedSetsWithTheirFile) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const JobId plain = farm.Submit(Job(10, 1));
  const store::NewTask what = farm.Get(plain).tasks[0].what;
  store::NewImport import{.family = what.source_hash,
                          .problem = "toy",
                          .problem_key = what.problem_key,
                          .source_hash = what.source_hash,
                          .device_class = "A100",
                          .file_name = "toy.json",
                          .records = {}};
  for (int64_t a = 1; a <= 8; ++a) {
    for (int64_t b = 1; b <= 8; ++b) {
      import.records.push_back({space::CanonicalJson({{"B", b},
                                                      { "A",
                                                        a }}),
                                1e-3 * static_cast<double>(a + b)});
    }
  }
  ASSERT_TRUE(farm.store().StoreImport(kTeam, import).ok());
  EXPECT_THAT(SourcesOf(farm, farm.Submit(Job(10, 2))),
              ElementsAre("64 imported toy.json on A100"));
}

TEST(History, OfAWorkloadIsOfItsOperatorInAnyShape) {
  Farm farm;
  farm.Attach("a", Cpu(), [](const space::Configuration& configuration) {
    return Answer{.seconds = 1e-3 * static_cast<double>(ValueOf(configuration, "TILE_M"))};
  });
  const auto submit = [&](const std::string& dtype, int extent) {
    return farm.Submit(
        {.file_name = "product.yaml",
         .text = absl::StrCat("name: product-", extent,
                              "\nworkload: {operator: matmul, shape: {m: ", extent, ", n: ", extent,
                              ", k: ", extent, "}, dtype: ", dtype, "}\nbudget: {trials: 30}\n"),
         .files = {}});
  };
  farm.RunToEnd(submit("f32", 90));
  const JobId larger = submit("f32", 192);
  ASSERT_THAT(SourcesOf(farm, larger), SizeIs(1));
  EXPECT_THAT(SourcesOf(farm, larger)[0], testing::EndsWith(" product-90 on zen4"));
  // Where there were no blocks there are none.
  const auto text = farm.store().TaskSchedule(kTeam, {larger, 1});
  const store::JobSource source = *farm.store().GetJobSource(kTeam, larger);
  const auto plan = JobPlan::Read(
      {.file_name = source.file_name, .text = source.text, .files = source.files}, *text);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::vector<store::HistorySource> history = HistoryOf(farm, larger);
  for (const store::HistoryRecord& record : history[0].records) {
    EXPECT_EQ(ValueOf(plan->space().At(record.index), "BLOCK_K"), 192);
  }
  EXPECT_THAT(SourcesOf(farm, submit("f64", 90)), IsEmpty());
}

TEST(History, ChangesTheSearchAndARestartedServerGoesOnTheSame) {
  const auto run = [](bool history, bool restarts, bool meanwhile) {
    Farm farm;
    farm.Attach("a", Cpu(), Bowl);
    farm.RunToEnd(farm.Submit(Job(40, 1)));
    const JobId id = farm.Submit(Job(25, 7, history ? "" : ", history: false"));
    if (meanwhile) farm.RunToEnd(farm.Submit(Reshaped(Job(64, 3))));
    for (int round = 0; restarts && round < 25; ++round) {
      farm.RestartServer();
      farm.Advance();
      farm.Serve();
    }
    farm.RunToEnd(id);
    return Proposed(farm, id);
  };
  const auto expected = run(true, false, false);
  ASSERT_THAT(expected, SizeIs(25));
  EXPECT_NE(run(false, false, false), expected);
  EXPECT_EQ(run(true, true, false), expected);
  // What is measured after the submission is none of its history.
  EXPECT_EQ(run(true, true, true), expected);
}

TEST(History, ThatTheSpaceHasNotFailsTheJobByName) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const JobId first = farm.Submit(Job(10, 1));
  const auto source = farm.store().GetJobSource(kTeam, first);
  store::NewTask task = farm.Get(first).tasks[0].what;
  task.history = {{"elsewhere", {{64, 1e-3}}}};
  const auto id = farm.store().CreateJob(kTeam, {.name = "toy",
                                                 .file_name = source->file_name,
                                                 .text = source->text,
                                                 .files = source->files,
                                                 .tasks = {task}});
  ASSERT_TRUE(id.ok()) << id.status();
  farm.Advance();
  EXPECT_EQ(farm.Get(id->first).job.state, store::State::kFailed);
  EXPECT_THAT(farm.Get(id->first).job.reason,
              StartsWith("the stored history 'elsewhere' has configuration 64"));
}

TEST(ReduceRecords, KeepsTheFastestHalfAndEvenlySpacedOthers) {
  std::vector<store::HistoryRecord> records;
  for (uint64_t i = 0; i < 10'000; ++i) {
    records.push_back({i, i % 10 == 0 ? 0 : static_cast<double>(10'000 - i)});
  }
  const std::vector<store::HistoryRecord> kept = ReduceRecords(records);
  ASSERT_THAT(kept, SizeIs(limits::kHistoryRecords));
  EXPECT_EQ(kept[0].index, 9999u);
  EXPECT_EQ(kept[499].latency_seconds, 555);  // 500 successes from 1 on, tens left out
  EXPECT_EQ(kept[500].latency_seconds, 556);
  EXPECT_EQ(kept[501].latency_seconds, 577);
  EXPECT_EQ(kept.back().latency_seconds, 0);
  EXPECT_THAT(ReduceRecords({{1, 0}, {2, 5}, {3, 4}}), SizeIs(3));
}

}  // namespace
}  // namespace burnish::jobs
