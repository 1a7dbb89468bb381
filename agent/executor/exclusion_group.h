// The lock of an exclusion group: devices that share silicon or a power domain. Compiling holds it
// shared, a timed run exclusively, so that nothing disturbs the clock.
//
// First come, first served: a run waits for the compilations that asked before it and is
// overtaken by none that asks after it, so neither side starves. Thread-safe.
#pragma once

#include <deque>
#include <stop_token>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace burnish::agent {

class ExclusionGroup {
 public:
  enum class Mode { kShared, kExclusive };

  // Holds the group for its lifetime.
  class Hold {
   public:
    Hold() = default;
    Hold(Hold&& other) noexcept;
    Hold& operator=(Hold&& other) noexcept;
    ~Hold() { Release(); }
    bool held() const { return group_ != nullptr; }

   private:
    friend class ExclusionGroup;
    Hold(ExclusionGroup* group, Mode mode) : group_(group), mode_(mode) {}
    void Release();

    ExclusionGroup* group_ = nullptr;
    Mode mode_ = Mode::kShared;
  };

  // Blocks until it is this caller's turn; holds nothing if `stop` was requested first.
  Hold Acquire(Mode mode, const std::stop_token& stop);

  int WaitingForTest() const;

 private:
  struct Waiter {
    Mode mode;
  };

  bool MayEnter(const Waiter& waiter) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  absl::CondVar changed_;
  std::deque<const Waiter*> waiting_ ABSL_GUARDED_BY(mutex_);  // in order of asking
  int sharing_ ABSL_GUARDED_BY(mutex_) = 0;
  bool exclusive_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace burnish::agent
