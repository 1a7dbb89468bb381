#include "agent/executor/worker_crew.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "common/base/check.h"

namespace burnish::agent {

WorkerCrew::WorkerCrew(WorkerRole role, int size, ExclusionGroup* group,
                       const WorkerFactory& factory)
    : group_(group),
      mode_(role == WorkerRole::kBuild ? ExclusionGroup::Mode::kShared
                                       : ExclusionGroup::Mode::kExclusive) {
  CHECK(size > 0);
  for (int i = 0; i < size; ++i) {
    threads_.emplace_back([this, worker = factory(role)] { Work(*worker); });
  }
}

WorkerCrew::~WorkerCrew() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    waiting_.clear();
    for (Entry& entry : running_) entry.stop.request_stop();
  }
  stop_.request_stop();
  for (std::thread& thread : threads_) thread.join();
}

WorkerCrew::Ticket WorkerCrew::Add(Job job, Place place) {
  absl::MutexLock lock(&mutex_);
  waiting_.insert(place == Place::kFirst ? waiting_.begin() : waiting_.end(),
                  Entry{++last_ticket_, std::move(job), std::stop_source()});
  return last_ticket_;
}

void WorkerCrew::Cancel(Ticket ticket) {
  absl::MutexLock lock(&mutex_);
  std::erase_if(waiting_, [ticket](const Entry& entry) { return entry.ticket == ticket; });
  for (Entry& entry : running_) {
    if (entry.ticket == ticket) entry.stop.request_stop();
  }
}

void WorkerCrew::Work(WorkerChannel& worker) {
  while (true) {
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(this, &WorkerCrew::HasWork));
      if (stopping_) return;
    }
    ExclusionGroup::Hold hold;
    if (group_ != nullptr) hold = group_->Acquire(mode_, stop_.get_token());
    Drain(worker);
  }
}

void WorkerCrew::Drain(WorkerChannel& worker) {
  while (true) {
    std::list<Entry>::iterator entry;
    {
      absl::MutexLock lock(&mutex_);
      if (waiting_.empty()) return;
      running_.splice(running_.end(), waiting_, waiting_.begin());
      entry = std::prev(running_.end());
    }
    entry->job(worker, entry->stop.get_token());
    absl::MutexLock lock(&mutex_);
    running_.erase(entry);
  }
}

}  // namespace burnish::agent
