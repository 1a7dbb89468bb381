#include "tests/unit/server/store/store_conformance.h"

namespace burnish::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class HistoryConformanceTest : public StoreConformanceTest {
 protected:
  NewJob JobLike(const std::string& problem_key, const std::string& device_class) const {
    NewJob job = JobOf("");
    job.tasks[0].family = "family";
    job.tasks[0].problem = problem_key;
    job.tasks[0].problem_key = problem_key;
    job.tasks[0].device_class = device_class;
    return job;
  }

  // A task with a finished trial for each measurement, of configurations 0, 1, …
  TaskId Measured(const NewJob& job, const std::vector<work::Measurement>& measurements) {
    const TaskId task{store_->CreateJob(owner_, job)->first, 1};
    EXPECT_TRUE(store_->MoveJob(owner_, task.job, {State::kQueued}, State::kRunning, "").ok());
    EXPECT_TRUE(store::MoveTask(*store_, owner_, task, {State::kQueued}, State::kRunning, "").ok());
    AddTrials(task, 0, static_cast<int64_t>(measurements.size()));
    const SessionId session = Open("a");
    for (const work::Measurement& measurement : measurements) {
      StoreResult(session, ClaimOne(session, "a", task), measurement);
    }
    return task;
  }

  std::vector<std::string> SetsFor(const std::string& problem_key, const std::string& device_class,
                                   int limit = 10) {
    const auto sets =
        store_->RecordSets(owner_, JobLike(problem_key, device_class).tasks[0], limit);
    EXPECT_TRUE(sets.ok()) << sets.status();
    std::vector<std::string> names;
    for (const RecordSet& set : *sets) {
      names.push_back((set.import ? set.file_name : set.problem_key) + "@" + set.device_class);
    }
    return names;
  }

  std::vector<MeasuredConfiguration> RecordsOf(const RecordSet& set, int limit = 100) {
    auto records = store_->Records(owner_, "family", set, limit);
    EXPECT_TRUE(records.ok()) << records.status();
    return *std::move(records);
  }

  static NewImport ImportOf(const std::string& file, int64_t records) {
    NewImport import{.family = "family",
                     .problem = "convolution",
                     .problem_key = "key",
                     .source_hash = "source",
                     .device_class = "A100",
                     .file_name = file,
                     .records = {}};
    for (int64_t i = 0; i < records; ++i) {
      import.records.push_back(
          {space::CanonicalJson(BlockOf(i)), i == 0 ? 0 : 1e-3 / static_cast<double>(i)});
    }
    return import;
  }
};

TEST_P(HistoryConformanceTest, ATasksHistoryIsReadByItselfToTheLastBit) {
  NewJob job = JobOf("request");
  job.tasks[0].history = {{"near", {{~uint64_t{0}, 0.1 + 0.2}, {3, 0}}},
                          {"far \xC3\xA9", {{4, 1}}}};
  const JobId id = store_->CreateJob(owner_, job)->first;
  const auto history = store_->TaskHistory(owner_, {id, 1});
  ASSERT_TRUE(history.ok()) << history.status();
  ASSERT_THAT(*history, SizeIs(2));
  EXPECT_EQ(history->at(0).name, "near");
  ASSERT_THAT(history->at(0).records, SizeIs(2));
  EXPECT_EQ(history->at(0).records[0].index, ~uint64_t{0});
  EXPECT_EQ(history->at(0).records[0].latency_seconds, 0.1 + 0.2);
  EXPECT_EQ(history->at(0).records[1].latency_seconds, 0);
  EXPECT_EQ(history->at(1).name, "far \xC3\xA9");

  const Task task = store_->GetJob(owner_, id)->tasks[0];
  EXPECT_THAT(task.what.history, IsEmpty());
  ASSERT_THAT(task.history, SizeIs(2));
  EXPECT_EQ(task.history[0].name, "near");
  EXPECT_EQ(task.history[0].records, 2);

  EXPECT_TRUE(absl::IsNotFound(store_->TaskHistory(Namespace("others"), {id, 1}).status()));
  const JobId plain = store_->CreateJob(owner_, JobOf("another"))->first;
  EXPECT_THAT(*store_->TaskHistory(owner_, {plain, 1}), IsEmpty());
}

TEST_P(HistoryConformanceTest, ADeletedJobTakesItsHistoryAlong) {
  NewJob job = JobOf("request");
  job.tasks[0].history = {{"near", {{1, 1}}}};
  const JobId id = store_->CreateJob(owner_, job)->first;
  ASSERT_TRUE(store_->CancelJob(owner_, id, "").ok());
  const auto removed = store_->DeleteJobs(absl::InfiniteFuture(), 10);
  ASSERT_TRUE(removed.ok()) << removed.status();
  EXPECT_EQ(removed->count, 1);
}

TEST_P(HistoryConformanceTest, SetsComeNearestFirst) {
  const std::vector<work::Measurement> one = {OkMeasurement()};
  Measured(JobLike("small", "cpu-test"), one);
  Measured(JobLike("large", "cpu-test"), one);
  const TaskId latest = Measured(JobLike("small", "cpu-test"), one);  // the same set, the newest
  NewJob other = JobLike("small", "cpu-test");
  other.tasks[0].family = "another";
  Measured(other, one);
  store_->CreateJob(owner_, JobLike("unmeasured", "cpu-test")).IgnoreError();
  ASSERT_TRUE(store_->StoreImport(owner_, ImportOf("a.json", 3)).ok());

  EXPECT_THAT(SetsFor("large", "cpu-test"),
              ElementsAre("large@cpu-test", "small@cpu-test", "a.json@A100"));
  EXPECT_THAT(SetsFor("new", "cpu-test"),
              ElementsAre("small@cpu-test", "large@cpu-test", "a.json@A100"));
  EXPECT_THAT(SetsFor("key", "A100"),
              ElementsAre("a.json@A100", "small@cpu-test", "large@cpu-test"));
  EXPECT_THAT(SetsFor("large", "cpu-test", 1), ElementsAre("large@cpu-test"));
  const auto sets = store_->RecordSets(owner_, JobLike("small", "cpu-test").tasks[0], 1);
  EXPECT_EQ(sets->at(0).task, latest);
  EXPECT_THAT(*store_->RecordSets(Namespace("others"), JobLike("small", "cpu-test").tasks[0], 10),
              IsEmpty());
}

TEST_P(HistoryConformanceTest, TheLatestRecordOfAConfigurationCounts) {
  Measured(JobLike("small", "cpu-test"),
           {OkMeasurement(4e-3), OkMeasurement(5e-3), OkMeasurement(6e-3)});
  Measured(JobLike("small", "cpu-test"),
           {OkMeasurement(2e-3), FailedMeasurement(work::Outcome::kCrash, "")});
  const RecordSet set{.problem_key = "small", .device_class = "cpu-test"};
  const std::vector<MeasuredConfiguration> records = RecordsOf(set);
  ASSERT_THAT(records, SizeIs(3));
  EXPECT_TRUE(space::SameConfiguration(records[0].configuration, BlockOf(1)));
  EXPECT_EQ(records[0].latency_seconds, 0);
  EXPECT_TRUE(space::SameConfiguration(records[1].configuration, BlockOf(0)));
  EXPECT_EQ(records[1].latency_seconds, 2e-3);
  EXPECT_EQ(records[2].latency_seconds, 6e-3);
  EXPECT_THAT(RecordsOf(set, 2), SizeIs(2));
}

TEST_P(HistoryConformanceTest, InfrastructureIsNoRecord) {
  const auto lost = FailedMeasurement(work::Outcome::kInfrastructure, "");
  const TaskId task = Measured(JobLike("small", "cpu-test"), {lost, lost, lost});
  ASSERT_THAT(Finished(task), SizeIs(1)) << "tried three times";
  EXPECT_THAT(RecordsOf({.problem_key = "small", .device_class = "cpu-test"}), IsEmpty());
}

TEST_P(HistoryConformanceTest, AnImportIsListedReadAndRemoved) {
  const auto stored = store_->StoreImport(owner_, ImportOf("a.json", 3));
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(stored->replaced, 0);
  const auto listed = store_->Imports(owner_);
  ASSERT_TRUE(listed.ok()) << listed.status();
  ASSERT_THAT(*listed, SizeIs(1));
  EXPECT_EQ(listed->front().id, stored->id);
  EXPECT_EQ(listed->front().problem, "convolution");
  EXPECT_EQ(listed->front().device_class, "A100");
  EXPECT_EQ(listed->front().file_name, "a.json");
  EXPECT_EQ(listed->front().records, 3);
  EXPECT_EQ(listed->front().failed, 1);
  EXPECT_EQ(listed->front().imported, clock_.Now());

  const std::vector<MeasuredConfiguration> records = RecordsOf({.import = stored->id});
  ASSERT_THAT(records, SizeIs(3));
  EXPECT_TRUE(space::SameConfiguration(records[0].configuration, BlockOf(2)));
  EXPECT_EQ(records[0].latency_seconds, 1e-3 / 2);
  EXPECT_EQ(records[2].latency_seconds, 0);

  const Namespace others("others");
  EXPECT_THAT(*store_->Imports(others), IsEmpty());
  EXPECT_THAT(*store_->Records(others, "family", {.import = stored->id}, 10), IsEmpty());
  EXPECT_TRUE(absl::IsNotFound(store_->RemoveImport(others, stored->id)));
  EXPECT_THAT(RecordsOf({.import = stored->id}), SizeIs(3));
  EXPECT_TRUE(store_->RemoveImport(owner_, stored->id).ok());
  EXPECT_TRUE(absl::IsNotFound(store_->RemoveImport(owner_, stored->id)));
  EXPECT_THAT(*store_->Imports(owner_), IsEmpty());
  EXPECT_THAT(RecordsOf({.import = stored->id}), IsEmpty());
}

TEST_P(HistoryConformanceTest, TheSameImportReplacesItsSet) {
  const auto first = store_->StoreImport(owner_, ImportOf("a.json", 4));
  const auto again = store_->StoreImport(owner_, ImportOf("a.json", 2));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->id, first->id);
  EXPECT_EQ(again->replaced, 4);
  EXPECT_EQ(store_->Imports(owner_)->at(0).records, 2);
  EXPECT_THAT(RecordsOf({.import = again->id}), SizeIs(2));
  EXPECT_NE(store_->StoreImport(owner_, ImportOf("b.json", 2))->id, first->id);
  EXPECT_NE(store_->StoreImport(Namespace("others"), ImportOf("a.json", 2))->id, first->id);
}

TEST_P(HistoryConformanceTest, OfALargeImportTheFastestAndOthersEvenlySpacedAreRead) {
  const auto stored = store_->StoreImport(owner_, ImportOf("a.json", 1000));
  const std::vector<MeasuredConfiguration> records = RecordsOf({.import = stored->id}, 20);
  ASSERT_THAT(records, SizeIs(19));  // place 0 is both
  EXPECT_TRUE(space::SameConfiguration(records[9].configuration, BlockOf(990)));
  EXPECT_TRUE(space::SameConfiguration(records[10].configuration, BlockOf(899)));
  EXPECT_THAT(RecordsOf({.import = stored->id}, 1000), SizeIs(1000));
}

INSTANTIATE_TEST_SUITE_P(Stores, HistoryConformanceTest, testing::ValuesIn(StoreFactories()),
                         FactoryName);

}  // namespace
}  // namespace burnish::store
