// The states of jobs and tasks and what moves them, one table each. Pure.
//
// An event leads to one state, wherever it is allowed, so a move is named by its event: the store
// is asked to move from any of StatesBefore(event) to StateAfter(event). `cancelled` is
// in no table: Store::CancelJob leads to it from every state that is not final, tasks included.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "server/store/store.h"

namespace burnish::jobs {

enum class JobEvent {
  kStart,    // the job loop takes it up
  kCompare,  // the finalists of all open tasks are being compared
  kPause,    // its client on a private server is gone
  kResume,
  kSucceed,  // all tasks have ended, one of them with a result
  kFail,     // all tasks have failed, or the job itself cannot be run
};
enum class TaskEvent {
  kStart,
  kCompare,  // the search is over, the finalists are compared
  kSucceed,
  kFail,
};

template <typename Event>
struct Transition {
  store::State from;
  Event event;
  store::State to;
};

inline constexpr std::array kJobTransitions = {
    Transition<JobEvent>{store::State::kQueued, JobEvent::kStart, store::State::kRunning},
    Transition<JobEvent>{store::State::kQueued, JobEvent::kPause, store::State::kPaused},
    Transition<JobEvent>{store::State::kQueued, JobEvent::kFail, store::State::kFailed},
    Transition<JobEvent>{store::State::kRunning, JobEvent::kCompare, store::State::kFinishing},
    Transition<JobEvent>{store::State::kRunning, JobEvent::kPause, store::State::kPaused},
    Transition<JobEvent>{store::State::kRunning, JobEvent::kSucceed, store::State::kDone},
    Transition<JobEvent>{store::State::kRunning, JobEvent::kFail, store::State::kFailed},
    Transition<JobEvent>{store::State::kPaused, JobEvent::kResume, store::State::kRunning},
    Transition<JobEvent>{store::State::kFinishing, JobEvent::kPause, store::State::kPaused},
    Transition<JobEvent>{store::State::kFinishing, JobEvent::kSucceed, store::State::kDone},
    Transition<JobEvent>{store::State::kFinishing, JobEvent::kFail, store::State::kFailed},
};

// A task is not paused: the job is, and its tasks stay where they stand.
inline constexpr std::array kTaskTransitions = {
    Transition<TaskEvent>{store::State::kQueued, TaskEvent::kStart, store::State::kRunning},
    Transition<TaskEvent>{store::State::kQueued, TaskEvent::kFail, store::State::kFailed},
    Transition<TaskEvent>{store::State::kRunning, TaskEvent::kCompare, store::State::kFinishing},
    Transition<TaskEvent>{store::State::kRunning, TaskEvent::kFail, store::State::kFailed},
    Transition<TaskEvent>{store::State::kFinishing, TaskEvent::kSucceed, store::State::kDone},
    Transition<TaskEvent>{store::State::kFinishing, TaskEvent::kFail, store::State::kFailed},
};

// Nothing where the event is not allowed.
std::optional<store::State> NextState(store::State from, JobEvent event);
std::optional<store::State> NextState(store::State from, TaskEvent event);

std::vector<store::State> StatesBefore(JobEvent event);
std::vector<store::State> StatesBefore(TaskEvent event);
store::State StateAfter(JobEvent event);
store::State StateAfter(TaskEvent event);

}  // namespace burnish::jobs
