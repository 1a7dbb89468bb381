#include "server/rpc/agent_inbox.h"

#include <atomic>
#include <memory>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "common/base/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/store/sql/migrations.h"
#include "server/store/sql/sql_store.h"
#include "server/store/sqlite/database.h"
#include "server/store/sqlite/schema.h"

namespace burnish::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr absl::Duration kPatience = absl::Seconds(20);

// A database that may be away.
class FlakyDatabase final : public store::sql::Database {
 public:
  FlakyDatabase(std::unique_ptr<store::sql::Database> database, const std::atomic<bool>& away)
      : database_(std::move(database)), away_(away) {}
  absl::StatusOr<std::unique_ptr<store::sql::Lease>> Acquire(store::sql::Access access) override {
    if (away_) return absl::UnavailableError("away");
    return database_->Acquire(access);
  }
  absl::Time Now() override { return database_->Now(); }
  const std::string& name() const override { return database_->name(); }

 private:
  const std::unique_ptr<store::sql::Database> database_;
  const std::atomic<bool>& away_;
};

class RecordingSender final : public AgentSender {
 public:
  void OnStored(const work::Report&, const absl::StatusOr<work::ReportResult>&) override {}
  void OnRenewed(int64_t sequence, const absl::StatusOr<std::vector<AttemptId>>&) override {
    const absl::MutexLock lock(&mutex_);
    renewed_.push_back(sequence);
  }
  bool gone() const override { return gone_; }

  std::vector<int64_t> WaitForRenewals() {
    const absl::MutexLock lock(&mutex_);
    mutex_.AwaitWithTimeout(
        absl::Condition(
            +[](std::vector<int64_t>* renewed) { return !renewed->empty(); }, &renewed_),
        kPatience);
    return renewed_;
  }
  std::vector<int64_t> renewed() {
    const absl::MutexLock lock(&mutex_);
    return renewed_;
  }
  void Leave() { gone_ = true; }

 private:
  std::atomic<bool> gone_ = false;
  absl::Mutex mutex_;
  std::vector<int64_t> renewed_ ABSL_GUARDED_BY(mutex_);
};

class AgentInboxTest : public ::testing::Test {
 protected:
  static std::unique_ptr<store::Store> FlakyStore(const Clock& clock,
                                                  const std::atomic<bool>& away) {
    auto database = *store::sqlite::Database::Open(":memory:", clock);
    EXPECT_TRUE(store::sql::Migrate(*database, store::sqlite::Migrations()).ok());
    return store::sql::MakeSqlStore(std::make_unique<FlakyDatabase>(std::move(database), away),
                                    store::sqlite::Migrations(), {});
  }
  SessionId Open(const std::string& agent) {
    return store_->OpenSession(AgentId(agent), {}, {}, absl::Seconds(30))->session;
  }
  void WaitForAFailedRound() {
    const absl::MutexLock lock(&mutex_);
    failed_ = false;
    EXPECT_TRUE(mutex_.AwaitWithTimeout(absl::Condition(&failed_), kPatience));
  }

  SimulatedClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  std::atomic<bool> away_ = false;
  const std::unique_ptr<store::Store> store_ = FlakyStore(clock_, away_);
  dispatch::Dispatcher dispatcher_{*store_, {}};
  absl::Mutex mutex_;
  bool failed_ ABSL_GUARDED_BY(mutex_) = false;
  AgentInbox inbox_{dispatcher_, [] {},
                    [this](const absl::Status& status) {
                      const absl::MutexLock lock(&mutex_);
                      failed_ = failed_ || !status.ok();
                    }};
};

TEST_F(AgentInboxTest, TheNewestHeartbeatOutlastsADatabaseThatIsAway) {
  const auto sender = std::make_shared<RecordingSender>();
  const SessionId session = Open("a");
  away_ = true;
  inbox_.AddHeartbeat(sender, 1, {session, {}});
  WaitForAFailedRound();
  inbox_.AddHeartbeat(sender, 2, {session, {}});
  WaitForAFailedRound();
  away_ = false;
  EXPECT_THAT(sender->WaitForRenewals(), ElementsAre(2));
}

TEST_F(AgentInboxTest, TheHeartbeatOfAStreamThatHasEndedSinceRenewsNothing) {
  const auto gone = std::make_shared<RecordingSender>();
  const auto other = std::make_shared<RecordingSender>();
  const SessionId session = Open("a");
  const SessionId other_session = Open("b");
  away_ = true;
  inbox_.AddHeartbeat(gone, 1, {session, {}});
  inbox_.AddHeartbeat(other, 1, {other_session, {}});
  WaitForAFailedRound();
  gone->Leave();
  away_ = false;
  EXPECT_THAT(other->WaitForRenewals(), ElementsAre(1));
  EXPECT_THAT(gone->renewed(), IsEmpty());
}

}  // namespace
}  // namespace burnish::rpc
