// Threads that share a queue of jobs, each thread with a worker of its own. A crew of several
// builds candidates; a crew of one runs them on the devices of an exclusion group.
//
// A member that holds the exclusion group keeps it until the queue is empty: builders compile all
// that is waiting, then the runner measures all that is ready, one by one. Waiting work is bounded
// by the leases an agent holds, so no turn lasts for ever.
//
// Thread-safe. Jobs run without any lock held; the threads live as long as the crew, as their
// workers demand.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <stop_token>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "agent/executor/exclusion_group.h"
#include "agent/sandbox/worker_channel.h"

namespace burnish::agent {

class WorkerCrew {
 public:
  using Job = std::function<void(WorkerChannel& worker, const std::stop_token& stop)>;
  // Names a job; 0 is never used.
  using Ticket = uint64_t;

  // Builders share `group`, runners have it for themselves; null: nothing excludes this crew. It
  // outlives the crew.
  WorkerCrew(WorkerRole role, int size, ExclusionGroup* group, const WorkerFactory& factory);
  // Cancels everything and waits for the threads.
  ~WorkerCrew();

  enum class Place { kLast, kFirst };  // among the jobs that wait
  Ticket Add(Job job, Place place = Place::kLast);
  // Forgets a waiting job; asks a running one to stop (its worker is killed).
  void Cancel(Ticket ticket);

 private:
  struct Entry {
    Ticket ticket;
    Job job;
    std::stop_source stop;
  };

  void Work(WorkerChannel& worker);
  bool HasWork() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return stopping_ || !waiting_.empty(); }
  // Runs waiting jobs until there are none.
  void Drain(WorkerChannel& worker);

  ExclusionGroup* const group_;
  const ExclusionGroup::Mode mode_;
  std::stop_source stop_;  // of the whole crew: ends waiting for the group

  absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  Ticket last_ticket_ ABSL_GUARDED_BY(mutex_) = 0;
  std::list<Entry> waiting_ ABSL_GUARDED_BY(mutex_);
  std::list<Entry> running_ ABSL_GUARDED_BY(mutex_);

  std::vector<std::thread> threads_;
};

}  // namespace burnish::agent
