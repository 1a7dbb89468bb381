#include "tests/unit/server/store/store_conformance.h"

namespace burnish::store {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

const ReplicaId kA("a");
const ReplicaId kB("b");

TEST_P(StoreConformanceTest, AJobHasOneOwnerUntilItsLeaseEnds) {
  const JobId job = store_->CreateJob(owner_, JobOf("r"))->first;
  const auto first = *store_->OwnJobs(kA, kLease);
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(first[0].job.job.id, job);
  EXPECT_THAT(first[0].job.tasks, SizeIs(1));
  clock_.Advance(kLease - absl::Seconds(1));
  EXPECT_THAT(*store_->OwnJobs(kB, kLease), IsEmpty());
  ASSERT_THAT(*store_->OwnJobs(kA, kLease), SizeIs(1));  // renews
  clock_.Advance(kLease - absl::Seconds(1));
  EXPECT_THAT(*store_->OwnJobs(kB, kLease), IsEmpty());
  EXPECT_EQ(store_->OwnJobs(kA, kLease)->at(0).fence, first[0].fence);
  clock_.Advance(kLease);
  const auto taken = *store_->OwnJobs(kB, kLease);
  ASSERT_THAT(taken, SizeIs(1));
  EXPECT_GT(taken[0].fence, first[0].fence);
  EXPECT_THAT(*store_->OwnJobs(kA, kLease), IsEmpty());
}

TEST_P(StoreConformanceTest, AnOwnerThatLostItsJobCanChangeNothing) {
  const TaskId task = RunningTask(2);
  ASSERT_TRUE(store_->ReleaseJobs(kOwner).ok());
  const Fence old_fence = store_->OwnJobs(kA, kLease)->at(0).fence;
  ASSERT_TRUE(store_->ReleaseJobs(kA).ok());
  ASSERT_THAT(*store_->OwnJobs(kB, kLease), SizeIs(1)) << "a job let go is free at once";

  EXPECT_TRUE(absl::IsAborted(
      store_->MoveTask(owner_, task, old_fence, {State::kRunning}, State::kDone, "")));
  EXPECT_TRUE(absl::IsAborted(
      store_->MoveOwnedJob(owner_, task.job, old_fence, {State::kRunning}, State::kDone, "")));
  EXPECT_TRUE(absl::IsAborted(store_->SetTaskResult(owner_, task, old_fence, {})));
  EXPECT_TRUE(absl::IsAborted(store_->SetTaskRoofs(owner_, task, old_fence, {})));
  EXPECT_TRUE(absl::IsAborted(store_->SetTaskPruned(owner_, task, old_fence, "")));
  EXPECT_TRUE(absl::IsAborted(store_->AddComparison(owner_, task, old_fence, {})));
  EXPECT_TRUE(absl::IsAborted(store_->WithdrawQueuedTrials(owner_, task, old_fence).status()));
  const auto added = *store_->AddTrials({{owner_, task, old_fence, {TrialOf(2)}}});
  EXPECT_TRUE(absl::IsAborted(added.at(0)));
  EXPECT_THAT(*store_->Trials(owner_, task), SizeIs(2));
  EXPECT_EQ(store_->GetJob(owner_, task.job)->job.state, State::kRunning);
}

TEST_P(StoreConformanceTest, TrialsOfOneLostJobDoNotHoldUpThoseOfOthers) {
  const TaskId kept = RunningTask(0, "kept");
  const TaskId lost = RunningTask(0, "lost");
  const auto added =
      *store_->AddTrials({{owner_, lost, Fence(77), {TrialOf(0)}},
                          {owner_, kept, FenceOf(*store_, kept.job), {TrialOf(0), TrialOf(1)}}});
  EXPECT_TRUE(absl::IsAborted(added.at(0)));
  EXPECT_TRUE(added.at(1).ok());
  EXPECT_THAT(*store_->Trials(owner_, kept), SizeIs(2));
  EXPECT_THAT(*store_->Trials(owner_, lost), IsEmpty());
}

TEST_P(StoreConformanceTest, EndedJobsHaveNoOwner) {
  const JobId job = store_->CreateJob(owner_, JobOf("r"))->first;
  ASSERT_THAT(*store_->OwnJobs(kA, kLease), SizeIs(1));
  ASSERT_TRUE(store_->CancelJob(owner_, job, "no longer wanted").ok());
  EXPECT_THAT(*store_->OwnJobs(kA, kLease), IsEmpty());
  clock_.Advance(2 * kLease);
  EXPECT_THAT(*store_->OwnJobs(kB, kLease), IsEmpty());
}

TEST_P(StoreConformanceTest, CancellingTakesBackWhatIsQueuedAndWhatRuns) {
  const TaskId task = RunningTask(4);
  const SessionId session = Open("a");
  const auto claimed = Claim(session, "a", task, 2);
  EXPECT_EQ(StoreResult(session, claimed[0], OkMeasurement()), work::ReportResult::kStored);
  ASSERT_TRUE(store_->CancelJob(owner_, task.job, "cancelled by its owner").ok());
  ASSERT_TRUE(store_->CancelJob(owner_, task.job, "twice").ok());

  const JobWithTasks job = *store_->GetJob(owner_, task.job);
  EXPECT_EQ(job.job.state, State::kCancelled);
  EXPECT_EQ(job.job.reason, "cancelled by its owner");
  EXPECT_EQ(job.tasks[0].state, State::kCancelled);
  EXPECT_EQ(job.tasks[0].ended, clock_.Now());
  EXPECT_THAT(*store_->Trials(owner_, task), SizeIs(1));
  EXPECT_THAT(*store_->OpenTasks(), IsEmpty());
  EXPECT_FALSE(IsCurrent(*store_, HeldOf(claimed[1])));
  EXPECT_EQ(StoreResult(session, claimed[1], OkMeasurement()), work::ReportResult::kLate);
}

TEST_P(StoreConformanceTest, AJobThatEndedOtherwiseCannotBeCancelled) {
  const TaskId task = RunningTask(0);
  ASSERT_TRUE(store_->MoveJob(owner_, task.job, {State::kRunning}, State::kDone, "").ok());
  const absl::Status status = store_->CancelJob(owner_, task.job, "");
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
}

}  // namespace
}  // namespace burnish::store
