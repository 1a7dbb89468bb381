#include "server/loop/loop.h"

#include <utility>

#include "common/base/log.h"

namespace burnish::server {

Loop::Loop(LoopOptions options, std::function<absl::Status()> round)
    : options_(std::move(options)), round_(std::move(round)), thread_([this] { Run(); }) {}

Loop::~Loop() { Stop(); }

void Loop::Wake() {
  absl::MutexLock lock(&mutex_);
  woken_ = true;
}

void Loop::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

void Loop::Run() {
  while (true) {
    const absl::Status status = round_();
    Report(status);
    absl::MutexLock lock(&mutex_);
    // After a fault even a wake-up waits: the round would only fail again.
    const absl::Duration rest = status.ok() ? options_.rest : options_.interval;
    if (mutex_.AwaitWithTimeout(absl::Condition(&stopping_), rest)) return;
    const auto due = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return woken_ || stopping_; };
    mutex_.AwaitWithTimeout(absl::Condition(&due), options_.interval);
    if (stopping_) return;
    if (woken_ && mutex_.AwaitWithTimeout(absl::Condition(&stopping_), options_.gather)) return;
    woken_ = false;
  }
}

void Loop::Report(const absl::Status& status) {
  if (status != last_status_) {
    if (status.ok()) {
      Log(LogLevel::kInfo, "loop_recovered", {{"loop", options_.name}});
    } else {
      Log(LogLevel::kError, "loop_fault", {{"loop", options_.name}, {"status", status.ToString()}});
    }
  }
  last_status_ = status;
}

}  // namespace burnish::server
