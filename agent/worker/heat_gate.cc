#include "agent/worker/heat_gate.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "agent/worker/device_sensor.h"
#include "common/base/poll.h"
#include "common/base/status_macros.h"

namespace burnish::worker {

absl::Status HeatGate::WaitUntilCool(Read read, Wait wait) {
  const auto now = read();
  if (!now.ok() || !now->celsius) return absl::OkStatus();
  start_celsius_ = std::min(start_celsius_.value_or(*now->celsius), *now->celsius);
  const auto read_or_nothing = [&]() -> absl::StatusOr<sensors::Condition> {
    auto condition = read();
    return condition.ok() ? *std::move(condition) : sensors::Condition();
  };
  ASSIGN_OR_RETURN(const bool cool,
                   sensors::WaitUntilCool({}, *start_celsius_, read_or_nothing, wait));
  if (cool) return absl::OkStatus();
  // As cool as it gets now: a room gets warmer, too.
  const auto warm = read();
  if (warm.ok() && warm->celsius) start_celsius_ = *warm->celsius;
  return absl::OkStatus();
}

bool HeatGate::HoldsBack(const sensors::Condition& condition) {
  return throttling_.Throttles(condition);
}

absl::StatusOr<HeatGate::Undisturbed> HeatGate::Time(
    absl::FunctionRef<absl::StatusOr<measure::Timing>()> time, const measure::TimeFrame& frame,
    Read read, Wait wait) {
  sensors::DiscardPolicy discards;
  read().IgnoreError();  // what happened before is no matter of this timing
  while (true) {
    const absl::Duration before = frame.clock.Monotonic();
    ASSIGN_OR_RETURN(measure::Timing timing, time());
    const absl::Duration took = frame.clock.Monotonic() - before;
    const auto condition = read();
    if (!condition.ok() || !HoldsBack(*condition)) return Undisturbed{std::move(timing)};
    const std::optional<absl::Duration> pause = discards.Next();
    if (!pause || frame.Left() < *pause + 2 * took) return Undisturbed{std::move(timing), true};
    RETURN_IF_ERROR(wait(*pause));
  }
}

HeatGate& HeatGateOf(const Task& task) {
  static auto* const gates = new std::map<std::pair<std::string, int>, HeatGate>;
  return (*gates)[{task.backend().name(), task.device_index()}];
}

absl::Status CoolDown(const Task& task) {
  const work::DeviceInfo device = DeviceOf(task);
  return HeatGateOf(task).WaitUntilCool(
      [&] { return ReadConditionOf(device); },
      [&](absl::Duration duration) { return Wait(task, duration); });
}

absl::Status Wait(const Task& task, absl::Duration duration) {
  pollfd hangup{.fd = task.runners().cancel_fd(), .events = POLLIN};
  if (!PollUntil({&hangup, 1}, DeadlineAfter(duration))) return absl::OkStatus();
  return absl::CancelledError("the agent is gone");
}

}  // namespace burnish::worker
