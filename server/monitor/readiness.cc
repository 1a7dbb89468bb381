#include "server/monitor/readiness.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/log.h"

namespace burnish::server {

void Readiness::Set(std::string_view condition, std::string_view reason) {
  absl::MutexLock lock(&mutex_);
  const bool was_ready = reasons_.empty();
  const auto found = reasons_.find(condition);
  if (reason.empty()) {
    if (found == reasons_.end()) return;
    reasons_.erase(found);
  } else {
    reasons_.insert_or_assign(std::string(condition), std::string(reason));
  }
  if (reasons_.empty() == was_ready) return;
  if (was_ready) {
    Log(LogLevel::kWarning, "not_ready",
        {{"condition", std::string(condition)}, {"reason", std::string(reason)}});
  } else {
    Log(LogLevel::kInfo, "ready");
  }
  if (told_ != nullptr) told_(!was_ready);
}

std::string Readiness::Reasons() const {
  absl::MutexLock lock(&mutex_);
  std::string text;
  for (const auto& [condition, reason] : reasons_) {
    absl::StrAppend(&text, condition, ": ", reason, "\n");
  }
  return text;
}

void Readiness::Tell(std::function<void(bool ready)> told) {
  absl::MutexLock lock(&mutex_);
  told_ = std::move(told);
  told_(reasons_.empty());
}

}  // namespace burnish::server
