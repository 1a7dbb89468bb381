#include "agent/session/task_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "common/base/hash.h"
#include "tests/unit/agent/session/temporary_journal.h"

namespace burnish::agent {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kChunk = 4;  // of the server of these tests

class TaskLoaderTest : public ::testing::Test {
 protected:
  TaskLoaderTest() { Start(); }
  ~TaskLoaderTest() override { loader_.reset(); }

  // Another life of the agent.
  void Start(absl::Duration patience = absl::Minutes(1)) {
    loader_.reset();
    loader_ = std::make_unique<TaskLoader>(
        TaskLoaderOptions{.blob_folder = folder_.folder(),
                          .backoff = {absl::Milliseconds(1), absl::Milliseconds(1)},
                          .patience = patience},
        [this](const BlobHash& blob, int64_t offset, const std::stop_token& stop) {
          return fetch_(blob, offset, stop);
        },
        [this](const TaskHash& hash, absl::StatusOr<work::TaskDefinition> definition) {
          absl::MutexLock lock(&mutex_);
          done_.emplace_back(hash.value(), std::move(definition));
        },
        SystemClock());
  }

  // The server's answer, and a note of it.
  absl::StatusOr<v1::FetchReply> Serve(int64_t offset) {
    offsets_.push_back(offset);
    if (offset >= static_cast<int64_t>(content_.size())) return absl::OutOfRangeError("end");
    v1::FetchReply reply;
    reply.set_size_bytes(static_cast<int64_t>(content_.size()));
    reply.set_data(content_.substr(static_cast<size_t>(offset), kChunk));
    return reply;
  }

  work::TaskDefinition Definition() const {
    work::TaskDefinition definition;
    spec::Source& source = definition.stages.emplace_back().source;
    source.file = "big.cc";
    source.blob = BlobHash(Sha256Hex(content_));
    definition.reference.source.text = "inline";
    return definition;
  }

  absl::StatusOr<work::TaskDefinition> Load(const std::string& hash = "task") {
    loader_->Load(TaskHash(hash), Definition());
    return NextDone();
  }
  absl::StatusOr<work::TaskDefinition> NextDone() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(
        +[](Done* done) { return !done->empty(); }, &done_));
    auto definition = std::move(done_.front().second);
    done_.erase(done_.begin());
    return definition;
  }

  using Done = std::vector<std::pair<std::string, absl::StatusOr<work::TaskDefinition>>>;
  const std::string content_ = "0123456789";
  TemporaryJournal folder_;
  std::vector<int64_t> offsets_;  // of the fetches; the loader's thread's until it is done
  TaskLoader::Fetch fetch_ = [this](const BlobHash&, int64_t offset, const std::stop_token&) {
    return Serve(offset);
  };
  absl::Mutex mutex_;
  Done done_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<TaskLoader> loader_;
};

TEST_F(TaskLoaderTest, FetchesContentChunkByChunkAndOnce) {
  EXPECT_FALSE(TaskLoader::IsWhole(Definition()));
  const auto loaded = Load();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->stages[0].source.text, content_);
  EXPECT_TRUE(TaskLoader::IsWhole(*loaded));
  EXPECT_EQ(loaded->reference.source.text, "inline");
  EXPECT_THAT(offsets_, ElementsAre(0, 4, 8));
  // Neither for another task nor in another life.
  EXPECT_EQ(Load("another task")->stages[0].source.text, content_);
  Start();
  EXPECT_EQ(Load()->stages[0].source.text, content_);
  EXPECT_EQ(offsets_.size(), 3u);
}

TEST_F(TaskLoaderTest, GoesOnWhereAnEarlierLifeEnded) {
  const BlobHash blob(Sha256Hex(content_));
  ASSERT_TRUE(BlobCache(folder_.folder()).Append(blob, content_.substr(0, 6)).ok());
  EXPECT_EQ(Load()->stages[0].source.text, content_);
  EXPECT_THAT(offsets_, ElementsAre(6));
}

TEST_F(TaskLoaderTest, ContentThatWasWholeButNotYetInPlaceIsNotFetchedAgain) {
  const BlobHash blob(Sha256Hex(content_));
  ASSERT_TRUE(BlobCache(folder_.folder()).Append(blob, content_).ok());
  EXPECT_EQ(Load()->stages[0].source.text, content_);
  EXPECT_THAT(offsets_, ElementsAre(10));
}

TEST_F(TaskLoaderTest, ABrokenConnectionIsTriedAgainFromThere) {
  int broken = 0;
  fetch_ = [&](const BlobHash&, int64_t offset,
               const std::stop_token&) -> absl::StatusOr<v1::FetchReply> {
    if (offset == 4 && broken++ < 3) return absl::UnavailableError("gone");
    return Serve(offset);
  };
  EXPECT_EQ(Load()->stages[0].source.text, content_);
  EXPECT_THAT(offsets_, ElementsAre(0, 4, 8));
}

TEST_F(TaskLoaderTest, ACorruptFileIsFetchedAgain) {
  EXPECT_TRUE(Load().ok());
  std::ofstream(folder_.folder() + "/" + Sha256Hex(content_)) << "damaged";
  offsets_.clear();
  EXPECT_EQ(Load()->stages[0].source.text, content_);
  EXPECT_THAT(offsets_, ElementsAre(0, 4, 8));
}

TEST_F(TaskLoaderTest, ContentDamagedOnItsWayIsFetchedOnceMore) {
  fetch_ = [this](const BlobHash&, int64_t offset, const std::stop_token&) {
    auto reply = Serve(offset);
    if (offsets_.size() == 2) reply->set_data("xxxx");
    return reply;
  };
  EXPECT_EQ(Load()->stages[0].source.text, content_);
  EXPECT_THAT(offsets_, ElementsAre(0, 4, 8, 0, 4, 8));
}

TEST_F(TaskLoaderTest, ContentThatStaysWrongIsGivenUp) {
  fetch_ = [this](const BlobHash&, int64_t offset, const std::stop_token&) {
    auto reply = Serve(offset);
    reply->mutable_data()->front() = 'x';
    return reply;
  };
  const absl::Status failed = Load().status();
  EXPECT_THAT(std::string(failed.message()),
              AllOf(HasSubstr("fetching big.cc"), HasSubstr("is not the content")));
  EXPECT_EQ(offsets_.size(), 6u);
}

TEST_F(TaskLoaderTest, AServerThatStaysAwayIsGivenUpWithItsReason) {
  fetch_ = [](const BlobHash&, int64_t, const std::stop_token&) -> absl::StatusOr<v1::FetchReply> {
    return absl::UnavailableError("nobody listens");
  };
  Start(/*patience=*/absl::ZeroDuration());
  const absl::Status failed = Load().status();
  EXPECT_THAT(std::string(failed.message()),
              AllOf(HasSubstr("fetching big.cc"), HasSubstr("nobody listens")));
}

TEST_F(TaskLoaderTest, ATaskThatIsBeingLoadedIsLoadedOnce) {
  absl::Notification go_on;
  fetch_ = [&](const BlobHash&, int64_t offset, const std::stop_token&) {
    go_on.WaitForNotification();
    return Serve(offset);
  };
  for (int i = 0; i < 3; ++i) loader_->Load(TaskHash("task"), Definition());
  loader_->Load(TaskHash("another"), Definition());
  go_on.Notify();
  EXPECT_TRUE(NextDone().ok());
  EXPECT_TRUE(NextDone().ok());
  loader_.reset();
  absl::MutexLock lock(&mutex_);
  EXPECT_THAT(done_, IsEmpty());
}

TEST_F(TaskLoaderTest, EndsAtOnceInTheMiddleOfAFetch) {
  absl::Notification fetching;
  fetch_ = [&](const BlobHash&, int64_t,
               const std::stop_token& stop) -> absl::StatusOr<v1::FetchReply> {
    absl::Notification stopped;
    fetching.Notify();
    const std::stop_callback notify(stop, [&stopped] { stopped.Notify(); });
    stopped.WaitForNotification();
    return absl::CancelledError("stopped");
  };
  loader_->Load(TaskHash("task"), Definition());
  fetching.WaitForNotification();
  loader_.reset();
  absl::MutexLock lock(&mutex_);
  EXPECT_THAT(done_, IsEmpty());
}

}  // namespace
}  // namespace burnish::agent
