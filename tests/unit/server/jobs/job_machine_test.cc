#include "server/jobs/job_machine.h"

#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::jobs {
namespace {

using store::State;

constexpr State kStates[] = {State::kQueued, State::kRunning, State::kPaused,   State::kFinishing,
                             State::kDone,   State::kFailed,  State::kCancelled};
constexpr JobEvent kJobEvents[] = {JobEvent::kStart,  JobEvent::kCompare, JobEvent::kPause,
                                   JobEvent::kResume, JobEvent::kSucceed, JobEvent::kFail};
constexpr TaskEvent kTaskEvents[] = {TaskEvent::kStart, TaskEvent::kCompare, TaskEvent::kSucceed,
                                     TaskEvent::kFail};

constexpr std::optional<State> kNo = std::nullopt;

TEST(JobMachine, AllowsInEachStateExactlyTheseEvents) {
  const std::map<State, std::vector<std::optional<State>>> expected = {
      // start, compare, pause, resume, succeed, fail
      {State::kQueued, {State::kRunning, kNo, State::kPaused, kNo, kNo, State::kFailed}},
      {State::kRunning,
       {kNo, State::kFinishing, State::kPaused, kNo, State::kDone, State::kFailed}},
      {State::kPaused, {kNo, kNo, kNo, State::kRunning, kNo, kNo}},
      {State::kFinishing, {kNo, kNo, State::kPaused, kNo, State::kDone, State::kFailed}},
      {State::kDone, {kNo, kNo, kNo, kNo, kNo, kNo}},
      {State::kFailed, {kNo, kNo, kNo, kNo, kNo, kNo}},
      {State::kCancelled, {kNo, kNo, kNo, kNo, kNo, kNo}},
  };
  for (const State state : kStates) {
    for (size_t i = 0; i < std::size(kJobEvents); ++i) {
      EXPECT_EQ(NextState(state, kJobEvents[i]), expected.at(state)[i])
          << store::StateName(state) << ", event " << i;
    }
  }
}

TEST(JobMachine, AllowsATaskInEachStateExactlyTheseEvents) {
  const std::map<State, std::vector<std::optional<State>>> expected = {
      // start, compare, succeed, fail
      {State::kQueued, {State::kRunning, kNo, kNo, State::kFailed}},
      {State::kRunning, {kNo, State::kFinishing, kNo, State::kFailed}},
      {State::kPaused, {kNo, kNo, kNo, kNo}},
      {State::kFinishing, {kNo, kNo, State::kDone, State::kFailed}},
      {State::kDone, {kNo, kNo, kNo, kNo}},
      {State::kFailed, {kNo, kNo, kNo, kNo}},
      {State::kCancelled, {kNo, kNo, kNo, kNo}},
  };
  for (const State state : kStates) {
    for (size_t i = 0; i < std::size(kTaskEvents); ++i) {
      EXPECT_EQ(NextState(state, kTaskEvents[i]), expected.at(state)[i])
          << store::StateName(state) << ", event " << i;
    }
  }
}

// The store's moves are made from StatesBefore and StateAfter, so they have to say the same as the
// tables.
template <typename Event>
void ExpectOneTarget(Event event) {
  const std::vector<State> before = StatesBefore(event);
  EXPECT_FALSE(before.empty());
  for (const State state : kStates) {
    const bool allowed = std::find(before.begin(), before.end(), state) != before.end();
    EXPECT_EQ(NextState(state, event), allowed ? std::optional(StateAfter(event)) : kNo);
  }
}

TEST(JobMachine, EveryEventLeadsToOneState) {
  for (const JobEvent event : kJobEvents) ExpectOneTarget(event);
  for (const TaskEvent event : kTaskEvents) ExpectOneTarget(event);
}

}  // namespace
}  // namespace burnish::jobs
