#include "server/jobs/job_machine.h"

#include "common/base/check.h"

namespace burnish::jobs {
namespace {

template <typename Table, typename Event>
std::optional<store::State> Next(const Table& table, store::State from, Event event) {
  for (const auto& transition : table) {
    if (transition.from == from && transition.event == event) return transition.to;
  }
  return std::nullopt;
}

template <typename Table, typename Event>
std::vector<store::State> Before(const Table& table, Event event) {
  std::vector<store::State> states;
  for (const auto& transition : table) {
    if (transition.event == event) states.push_back(transition.from);
  }
  return states;
}

template <typename Table, typename Event>
store::State After(const Table& table, Event event) {
  for (const auto& transition : table) {
    if (transition.event == event) return transition.to;
  }
  CHECK(false) << "an event without a transition";
  return store::State::kFailed;
}

}  // namespace

std::optional<store::State> NextState(store::State from, JobEvent event) {
  return Next(kJobTransitions, from, event);
}
std::optional<store::State> NextState(store::State from, TaskEvent event) {
  return Next(kTaskTransitions, from, event);
}

std::vector<store::State> StatesBefore(JobEvent event) { return Before(kJobTransitions, event); }
std::vector<store::State> StatesBefore(TaskEvent event) { return Before(kTaskTransitions, event); }

store::State StateAfter(JobEvent event) { return After(kJobTransitions, event); }
store::State StateAfter(TaskEvent event) { return After(kTaskTransitions, event); }

}  // namespace burnish::jobs
