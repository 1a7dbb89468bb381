#include "gtest/gtest.h"
#include "server/store/store.h"

namespace burnish::store {
namespace {

TEST(StateTest, EveryNameReadsBackAsItsState) {
  for (const State state : {State::kQueued, State::kRunning, State::kPaused, State::kFinishing,
                            State::kDone, State::kFailed, State::kCancelled}) {
    EXPECT_EQ(ParseState(StateName(state)), state);
  }
  EXPECT_EQ(ParseState("asleep"), std::nullopt);
}

TEST(StateTest, DoneFailedAndCancelledAreFinal) {
  EXPECT_TRUE(IsFinal(State::kDone) && IsFinal(State::kFailed) && IsFinal(State::kCancelled));
  EXPECT_FALSE(IsFinal(State::kQueued) || IsFinal(State::kRunning) || IsFinal(State::kPaused) ||
               IsFinal(State::kFinishing));
}

TEST(StateTest, ADeviceIdNamesAgentBackendAndIndex) {
  EXPECT_EQ(DeviceIdOf(AgentId("rack-1"), {.backend = "cpu", .index = 2}),
            DeviceId("rack-1/cpu:2"));
}

}  // namespace
}  // namespace burnish::store
