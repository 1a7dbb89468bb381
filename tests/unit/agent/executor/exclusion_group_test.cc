#include "agent/executor/exclusion_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"

namespace burnish::agent {
namespace {

using Mode = ExclusionGroup::Mode;

// Acquires on a thread of its own, notes that in `order`, and holds until told to let go.
class Contender {
 public:
  Contender(ExclusionGroup& group, Mode mode, std::string name, std::vector<std::string>& order,
            absl::Mutex& order_mutex)
      : thread_([&group, mode, name = std::move(name), &order, &order_mutex, this] {
          const ExclusionGroup::Hold hold = group.Acquire(mode, stop_.get_token());
          {
            absl::MutexLock lock(&order_mutex);
            order.push_back(hold.held() ? name : name + " gave up");
          }
          entered_.Notify();
          if (hold.held()) let_go_.WaitForNotification();
        }) {}
  ~Contender() {
    if (!let_go_.HasBeenNotified()) LetGo();
  }

  void WaitUntilEntered() { entered_.WaitForNotification(); }
  bool entered() const { return entered_.HasBeenNotified(); }
  void GiveUp() { stop_.request_stop(); }
  void LetGo() {
    let_go_.Notify();
    thread_.join();
  }

 private:
  std::stop_source stop_;
  absl::Notification entered_;
  absl::Notification let_go_;
  std::thread thread_;
};

class ExclusionGroupTest : public ::testing::Test {
 protected:
  std::unique_ptr<Contender> Ask(Mode mode, std::string name) {
    const int asked = group_.WaitingForTest();
    auto contender =
        std::make_unique<Contender>(group_, mode, std::move(name), order_, order_mutex_);
    // Queued, or in at once: the next to ask is surely behind.
    while (group_.WaitingForTest() == asked && !contender->entered()) std::this_thread::yield();
    return contender;
  }
  std::vector<std::string> order() {
    absl::MutexLock lock(&order_mutex_);
    return order_;
  }

  ExclusionGroup group_;
  absl::Mutex order_mutex_;
  std::vector<std::string> order_;
};

TEST_F(ExclusionGroupTest, SharersHoldItTogether) {
  const auto a = Ask(Mode::kShared, "a");
  const auto b = Ask(Mode::kShared, "b");
  a->WaitUntilEntered();
  b->WaitUntilEntered();
}

TEST_F(ExclusionGroupTest, AnExclusiveHolderIsAlone) {
  const auto run = Ask(Mode::kExclusive, "run");
  run->WaitUntilEntered();
  const auto build = Ask(Mode::kShared, "build");
  const auto other_run = Ask(Mode::kExclusive, "other run");
  EXPECT_FALSE(build->entered());
  EXPECT_FALSE(other_run->entered());
  run->LetGo();
  build->WaitUntilEntered();
  EXPECT_FALSE(other_run->entered());
  build->LetGo();
  other_run->WaitUntilEntered();
}

TEST_F(ExclusionGroupTest, ARunIsNotOvertakenByLaterBuilds) {
  const auto first = Ask(Mode::kShared, "first");
  first->WaitUntilEntered();
  const auto run = Ask(Mode::kExclusive, "run");
  const auto late = Ask(Mode::kShared, "late");
  EXPECT_FALSE(late->entered());
  first->LetGo();
  run->WaitUntilEntered();
  EXPECT_FALSE(late->entered());
  run->LetGo();
  late->WaitUntilEntered();
  EXPECT_EQ(order(), (std::vector<std::string>{"first", "run", "late"}));
}

TEST_F(ExclusionGroupTest, OneThatGivesUpLetsThoseBehindItPass) {
  const auto first = Ask(Mode::kShared, "first");
  first->WaitUntilEntered();
  const auto run = Ask(Mode::kExclusive, "run");
  const auto late = Ask(Mode::kShared, "late");
  run->GiveUp();
  run->WaitUntilEntered();
  late->WaitUntilEntered();
  EXPECT_THAT(order(), ::testing::UnorderedElementsAre("first", "run gave up", "late"));
}

TEST_F(ExclusionGroupTest, AStoppedTokenHoldsNothing) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(group_.Acquire(Mode::kExclusive, stop.get_token()).held());
  EXPECT_TRUE(group_.Acquire(Mode::kExclusive, std::stop_token()).held());
}

}  // namespace
}  // namespace burnish::agent
