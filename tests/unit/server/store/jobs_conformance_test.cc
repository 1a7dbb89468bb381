#include <limits>

#include "tests/unit/server/store/store_conformance.h"

namespace burnish::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_P(StoreConformanceTest, AStoredJobReadsBackAsItWasSubmitted) {
  const NewJob submitted = JobOf("request");
  const auto created = store_->CreateJob(owner_, submitted);
  ASSERT_TRUE(created.ok()) << created.status();
  EXPECT_FALSE(created->second);
  const auto read = store_->GetJob(owner_, created->first);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->job.name, "convolution");
  const auto source = store_->GetJobSource(owner_, read->job.id);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ(source->file_name, submitted.file_name);
  EXPECT_EQ(source->text, submitted.text);
  EXPECT_EQ(source->files, submitted.files);
  EXPECT_EQ(read->job.hold_id, "hold");
  EXPECT_EQ(read->job.state, State::kQueued);
  EXPECT_EQ(read->job.created, clock_.Now());
  ASSERT_THAT(read->tasks, SizeIs(1));
  const Task& task = read->tasks[0];
  EXPECT_EQ(task.id, (TaskId{created->first, 1}));
  EXPECT_EQ(task.what.device_class, "cpu-test");
  EXPECT_EQ(task.what.selector, "backend == 'cpu'");
  EXPECT_EQ(task.what.hash, TaskHash("abc"));
  EXPECT_EQ(task.what.problem_key, "key");
  EXPECT_EQ(task.what.source_hash, "source");
  EXPECT_EQ(task.what.space_size, ~uint64_t{0});
  EXPECT_EQ(task.what.budget_trials, 100);
  EXPECT_EQ(task.what.budget_seconds, 600);
  EXPECT_EQ(task.what.budget_device_seconds, 0.25);
  EXPECT_EQ(task.what.goals, "{}");
  EXPECT_EQ(task.what.work, (work::KernelWork{2.5e9, 1e6, 4096, "f32"}));
  EXPECT_EQ(task.state, State::kQueued);
  EXPECT_TRUE(task.device.empty());
  EXPECT_FALSE(task.result.best.has_value());
}

TEST_P(StoreConformanceTest, AScheduleIsReadByItself) {
  NewJob job = JobOf("request");
  job.tasks[0].schedule = "{\"a\": 1}";
  const JobId id = store_->CreateJob(owner_, job)->first;
  EXPECT_EQ(*store_->TaskSchedule(owner_, {id, 1}), "{\"a\": 1}");
  EXPECT_EQ(store_->GetJob(owner_, id)->tasks[0].what.schedule, "");
  EXPECT_TRUE(absl::IsNotFound(store_->TaskSchedule(owner_, {id, 2}).status()));
  EXPECT_TRUE(absl::IsNotFound(store_->TaskSchedule(Namespace("others"), {id, 1}).status()));
  const JobId plain = store_->CreateJob(owner_, JobOf("another"))->first;
  EXPECT_EQ(*store_->TaskSchedule(owner_, {plain, 1}), "");
}

TEST_P(StoreConformanceTest, ARetriedSubmitReturnsTheSameJob) {
  const auto first = store_->CreateJob(owner_, JobOf("request"));
  const auto second = store_->CreateJob(owner_, JobOf("request"));
  EXPECT_EQ(first->first, second->first);
  EXPECT_TRUE(second->second);
  EXPECT_EQ(*store_->FindJobOfRequest(owner_, "request"), first->first);
  EXPECT_EQ(*store_->FindJobOfRequest(owner_, "another"), std::nullopt);
  EXPECT_EQ(*store_->FindJobOfRequest(Namespace("others"), "request"), std::nullopt);
}

TEST_P(StoreConformanceTest, JobsWithoutARequestIdAreNeverTheSame) {
  EXPECT_NE(store_->CreateJob(owner_, JobOf(""))->first,
            store_->CreateJob(owner_, JobOf(""))->first);
  EXPECT_EQ(*store_->FindJobOfRequest(owner_, ""), std::nullopt);
}

TEST_P(StoreConformanceTest, ANamespaceSeesNothingOfAnother) {
  const TaskId task = RunningTask(1);
  const Namespace other("others");
  EXPECT_TRUE(absl::IsNotFound(store_->GetJob(other, task.job).status()));
  EXPECT_THAT(*store_->ListJobs(other, 10), IsEmpty());
  EXPECT_TRUE(
      absl::IsNotFound(store_->MoveJob(other, task.job, {State::kRunning}, State::kPaused, "")));
  EXPECT_TRUE(absl::IsNotFound(store_->RequestFinish(other, task.job)));
  EXPECT_TRUE(absl::IsNotFound(store_->CancelJob(other, task.job, "")));
  EXPECT_TRUE(absl::IsNotFound(store_->SetHold(other, task.job, "")));
  EXPECT_TRUE(absl::IsNotFound(
      store::MoveTask(*store_, other, task, {State::kRunning}, State::kPaused, "")));
  EXPECT_TRUE(absl::IsNotFound(store_->SetTaskResult(other, task, FenceOf(*store_, task.job), {})));
  EXPECT_TRUE(absl::IsNotFound(store::AddTrials(*store_, other, task, {})));
  EXPECT_TRUE(absl::IsNotFound(store_->Trials(other, task).status()));
  EXPECT_THAT(store::FinishedTrials(*store_, other, task, 0), IsEmpty());
  EXPECT_TRUE(absl::IsNotFound(store_->GetJobSource(other, task.job).status()));
  EXPECT_TRUE(absl::IsNotFound(store_->CancelJob(other, task.job, "")));
  EXPECT_TRUE(absl::IsNotFound(store_->MoveOwnedJob(other, task.job, FenceOf(*store_, task.job),
                                                    {State::kRunning}, State::kDone, "")));
  EXPECT_TRUE(absl::IsNotFound(store::WithdrawQueuedTrials(*store_, other, task).status()));
  EXPECT_TRUE(absl::IsNotFound(store::AddComparison(*store_, other, task, {})));
  EXPECT_TRUE(absl::IsNotFound(store_->ComparisonResult(other, task).status()));
  EXPECT_TRUE(absl::IsNotFound(store_->Results(other, task.job, "measure", 0, 1).status()));
  EXPECT_TRUE(absl::IsNotFound(store_->RunningItems(other, task).status()));
}

TEST_P(StoreConformanceTest, JobsAreListedNewestFirstAndActiveOnesOldestFirst) {
  const JobId a = store_->CreateJob(owner_, JobOf("a"))->first;
  const JobId b = store_->CreateJob(owner_, JobOf("b"))->first;
  const JobId c = store_->CreateJob(Namespace("others"), JobOf("c"))->first;
  const auto ids = [](const std::vector<JobWithTasks>& jobs) {
    std::vector<JobId> result;
    for (const JobWithTasks& job : jobs) result.push_back(job.job.id);
    return result;
  };
  EXPECT_THAT(ids(*store_->ListJobs(owner_, 10)), ElementsAre(b, a));
  EXPECT_THAT(ids(*store_->ListJobs(owner_, 1)), ElementsAre(b));
  EXPECT_THAT(ids(*store_->ActiveJobs()), ElementsAre(a, b, c));
  ASSERT_TRUE(store_->MoveJob(owner_, a, {State::kQueued}, State::kCancelled, "").ok());
  EXPECT_THAT(ids(*store_->ActiveJobs()), ElementsAre(b, c));
}

TEST_P(StoreConformanceTest, AStateMovesOnlyFromWhereTheCallerThinksItIs) {
  const JobId job = store_->CreateJob(owner_, JobOf(""))->first;
  EXPECT_TRUE(store_->MoveJob(owner_, job, {State::kQueued}, State::kRunning, "started").ok());
  EXPECT_TRUE(store_->MoveJob(owner_, job, {State::kQueued}, State::kRunning, "a retry").ok());
  const absl::Status wrong =
      store_->MoveJob(owner_, job, {State::kQueued, State::kPaused}, State::kFinishing, "");
  EXPECT_TRUE(absl::IsFailedPrecondition(wrong)) << wrong;
  EXPECT_THAT(std::string(wrong.message()), HasSubstr("j1 is running"));
  EXPECT_EQ(store_->GetJob(owner_, job)->job.reason, "started");
  const TaskId task{job, 1};
  EXPECT_TRUE(absl::IsFailedPrecondition(
      store::MoveTask(*store_, owner_, task, {State::kRunning}, State::kDone, "")));
}

TEST_P(StoreConformanceTest, ATaskKeepsWhenItStartedAndEnded) {
  const TaskId id = RunningTask(0);
  const absl::Time started = clock_.Now();
  clock_.Advance(absl::Seconds(5));
  ASSERT_TRUE(store::MoveTask(*store_, owner_, id, {State::kRunning}, State::kPaused, "").ok());
  ASSERT_TRUE(store::MoveTask(*store_, owner_, id, {State::kPaused}, State::kRunning, "").ok());
  ASSERT_TRUE(store::MoveTask(*store_, owner_, id, {State::kRunning}, State::kFinishing, "").ok());
  Task task = store_->GetJob(owner_, id.job)->tasks[0];
  EXPECT_EQ(task.started, started);
  EXPECT_EQ(task.ended, std::nullopt);
  ASSERT_TRUE(
      store::MoveTask(*store_, owner_, id, {State::kFinishing}, State::kDone, "space exhausted")
          .ok());
  task = store_->GetJob(owner_, id.job)->tasks[0];
  EXPECT_EQ(task.ended, clock_.Now());
  EXPECT_EQ(task.reason, "space exhausted");
}

TEST_P(StoreConformanceTest, FinishRequestAndHoldAreKept) {
  const JobId job = store_->CreateJob(owner_, JobOf(""))->first;
  EXPECT_FALSE(store_->GetJob(owner_, job)->job.finish_requested);
  EXPECT_TRUE(store_->RequestFinish(owner_, job).ok());
  EXPECT_TRUE(store_->SetHold(owner_, job, "newcomer").ok());
  EXPECT_TRUE(store_->GetJob(owner_, job)->job.finish_requested);
  EXPECT_EQ(store_->GetJob(owner_, job)->job.hold_id, "newcomer");
}

TEST_P(StoreConformanceTest, ATaskResultReadsBackExactly) {
  const TaskId id = RunningTask(0);
  const TaskResult result{.best = BlockOf(32),
                          .best_seconds = 0.1,
                          .best_interval = {0.09, 0.11},
                          .default_seconds = 1.0 / 3,
                          .default_interval = {0.3, 0.4},
                          .speedup = 3.3,
                          .speedup_interval = {3.1, std::numeric_limits<double>::infinity()},
                          .verified = true,
                          .max_relative_error = 1e-300,
                          .tie = {{.configuration = BlockOf(32), .seconds = 1.5e-3},
                                  {.configuration = BlockOf(64),
                                   .seconds = 2.5e-3,
                                   .interval = {2e-3, 3e-3},
                                   .verified = true,
                                   .max_relative_error = 1e-6}}};
  ASSERT_TRUE(store_->SetTaskResult(owner_, id, FenceOf(*store_, id.job), result).ok());
  const TaskResult read = store_->GetJob(owner_, id.job)->tasks[0].result;
  ASSERT_TRUE(read.best.has_value());
  EXPECT_TRUE(space::SameConfiguration(*read.best, BlockOf(32)));
  EXPECT_EQ(read.best_seconds, result.best_seconds);
  EXPECT_EQ(read.default_seconds, result.default_seconds);
  EXPECT_EQ(read.default_interval.high, 0.4);
  EXPECT_EQ(read.speedup_interval.high, std::numeric_limits<double>::infinity());
  EXPECT_EQ(read.max_relative_error, 1e-300);
  EXPECT_TRUE(read.verified);
  ASSERT_THAT(read.tie, SizeIs(2));
  EXPECT_TRUE(space::SameConfiguration(read.tie[1].configuration, BlockOf(64)));
  EXPECT_EQ(read.tie[1].seconds, 2.5e-3);
  EXPECT_EQ(read.tie[1].interval.high, 3e-3);
  EXPECT_TRUE(read.tie[1].verified);
  EXPECT_EQ(read.tie[1].max_relative_error, 1e-6);
}

TEST_P(StoreConformanceTest, WhatATaskPrunesByReadsBackExactly) {
  const TaskId id = RunningTask(0);
  EXPECT_FALSE(store_->GetJob(owner_, id.job)->tasks[0].roofs.has_value());
  const TaskRoofs roofs = {
      .from = TrialNumber(7),
      .roofs = {.peaks = {{"f32", 2, 1.0 / 3}}, .bandwidths = {{"memory", 4096, 2, 1e10}}}};
  const Fence fence = FenceOf(*store_, id.job);
  ASSERT_TRUE(store_->SetTaskRoofs(owner_, id, fence, roofs).ok());
  ASSERT_TRUE(store_->SetTaskPruned(owner_, id, fence, "3 configurations").ok());
  const Task task = store_->GetJob(owner_, id.job)->tasks[0];
  ASSERT_TRUE(task.roofs.has_value());
  EXPECT_EQ(task.roofs->from, TrialNumber(7));
  EXPECT_EQ(task.roofs->roofs, roofs.roofs);
  EXPECT_EQ(task.pruned, "3 configurations");

  const Namespace other("others");
  EXPECT_TRUE(absl::IsNotFound(store_->SetTaskRoofs(other, id, fence, roofs)));
  EXPECT_TRUE(absl::IsNotFound(store_->SetTaskPruned(other, id, fence, "")));
}

TEST_P(StoreConformanceTest, AnUnknownJobIsNotFoundByName) {
  const absl::Status status = store_->GetJob(owner_, JobId(42)).status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("j42"));
}

}  // namespace
}  // namespace burnish::store
