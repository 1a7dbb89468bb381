#include "server/loop/loop.h"

#include <atomic>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace burnish::server {
namespace {

const LoopOptions kOnlyWhenWoken{
    .name = "test", .interval = absl::InfiniteDuration(), .rest = absl::ZeroDuration()};

TEST(Loop, RunsARoundAfterEveryWakeUp) {
  std::atomic<int> rounds = 0;
  absl::Notification first, second;
  Loop loop(kOnlyWhenWoken, [&] {
    const int round = ++rounds;
    if (round == 1) first.Notify();
    if (round == 2) second.Notify();
    return absl::OkStatus();
  });
  first.WaitForNotification();
  loop.Wake();
  second.WaitForNotification();
  loop.Stop();
  EXPECT_EQ(rounds, 2);
}

TEST(Loop, MissesNoWakeUpThatComesDuringARound) {
  absl::Notification in_round, go_on, again;
  std::atomic<int> rounds = 0;
  Loop loop(kOnlyWhenWoken, [&] {
    if (++rounds == 1) {
      in_round.Notify();
      go_on.WaitForNotification();
    } else {
      again.Notify();
    }
    return absl::OkStatus();
  });
  in_round.WaitForNotification();
  loop.Wake();
  go_on.Notify();
  again.WaitForNotification();
}

TEST(Loop, StopsWhileItGathersWakeUps) {
  absl::Notification ran;
  std::atomic<int> rounds = 0;
  Loop loop(
      {.name = "test", .interval = absl::InfiniteDuration(), .gather = absl::InfiniteDuration()},
      [&] {
        if (++rounds == 1) ran.Notify();
        return absl::OkStatus();
      });
  ran.WaitForNotification();
  loop.Wake();
  loop.Stop();
  EXPECT_EQ(rounds, 1);
}

TEST(Loop, RunsARoundOnceItHasGathered) {
  absl::Notification first, second;
  std::atomic<int> rounds = 0;
  Loop loop({.name = "test", .interval = absl::InfiniteDuration(), .gather = absl::Milliseconds(1)},
            [&] {
              const int round = ++rounds;
              if (round == 1) first.Notify();
              if (round == 2) second.Notify();
              return absl::OkStatus();
            });
  first.WaitForNotification();
  loop.Wake();
  second.WaitForNotification();
}

TEST(Loop, GoesOnAfterAFault) {
  absl::Notification third;
  std::atomic<int> rounds = 0;
  Loop loop({.name = "test", .interval = absl::Milliseconds(1)}, [&]() -> absl::Status {
    if (++rounds == 3) third.Notify();
    return absl::UnavailableError("the disk is full");
  });
  third.WaitForNotification();
}

TEST(Loop, StopsWhileItRests) {
  absl::Notification ran;
  Loop loop(
      {.name = "test", .interval = absl::InfiniteDuration(), .rest = absl::InfiniteDuration()},
      [&] {
        ran.Notify();
        return absl::OkStatus();
      });
  ran.WaitForNotification();
  loop.Stop();
}

}  // namespace
}  // namespace burnish::server
