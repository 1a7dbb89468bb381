#include "agent/executor/exclusion_group.h"

#include <utility>

namespace burnish::agent {

ExclusionGroup::Hold::Hold(Hold&& other) noexcept { *this = std::move(other); }

ExclusionGroup::Hold& ExclusionGroup::Hold::operator=(Hold&& other) noexcept {
  if (this != &other) {
    Release();
    group_ = std::exchange(other.group_, nullptr);
    mode_ = other.mode_;
  }
  return *this;
}

void ExclusionGroup::Hold::Release() {
  if (group_ == nullptr) return;
  absl::MutexLock lock(&group_->mutex_);
  if (mode_ == Mode::kShared) {
    --group_->sharing_;
  } else {
    group_->exclusive_ = false;
  }
  group_->changed_.SignalAll();
  group_ = nullptr;
}

ExclusionGroup::Hold ExclusionGroup::Acquire(Mode mode, const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] {
    absl::MutexLock lock(&mutex_);
    changed_.SignalAll();
  });
  absl::MutexLock lock(&mutex_);
  const Waiter waiter{mode};
  waiting_.push_back(&waiter);
  while (!stop.stop_requested() && !MayEnter(waiter)) changed_.Wait(&mutex_);

  std::erase(waiting_, &waiter);
  // The next in the queue may share with this one, or take the place of one who gave up.
  changed_.SignalAll();
  if (stop.stop_requested()) return Hold();
  if (mode == Mode::kShared) {
    ++sharing_;
  } else {
    exclusive_ = true;
  }
  return Hold(this, mode);
}

int ExclusionGroup::WaitingForTest() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int>(waiting_.size());
}

bool ExclusionGroup::MayEnter(const Waiter& waiter) const {
  if (waiting_.front() != &waiter || exclusive_) return false;
  return waiter.mode == Mode::kShared || sharing_ == 0;
}

}  // namespace burnish::agent
