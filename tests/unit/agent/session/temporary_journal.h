// A journal in a folder of its own, reports to put there, and a disk that is full.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <filesystem>
#include <memory>
#include <string>

#include "agent/session/report_outbox.h"
#include "common/base/check.h"
#include "common/wire/work_item.h"

namespace burnish::agent {

class TemporaryJournal {
 public:
  TemporaryJournal() {
    std::string pattern = ::testing::TempDir() + "/burnish-journal-XXXXXX";
    CHECK(::mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
  }
  ~TemporaryJournal() { std::filesystem::remove_all(folder_); }
  TemporaryJournal(const TemporaryJournal&) = delete;

  const std::string& folder() const { return folder_; }
  std::string path() const { return folder_ + "/reports"; }
  // What an agent that starts now would find.
  std::unique_ptr<ReportOutbox> OpenOutbox(Wakeup& wakeup,
                                           const OutboxOptions& options = {}) const {
    return std::make_unique<ReportOutbox>(ReportJournal(path()), wakeup, options);
  }

 private:
  std::string folder_;
};

inline work::Report ReportOf(const std::string& attempt, size_t message_bytes = 0) {
  work::Measurement measurement;
  measurement.message = std::string(message_bytes, 'x');
  return {AttemptId(attempt), WorkItemId(1), Fence(1), measurement};
}

inline SharedReport SharedReportOf(const std::string& attempt, size_t message_bytes = 0) {
  return std::make_shared<const v1::ReportMessage>(wire::ToProto(ReportOf(attempt, message_bytes)));
}

// While it lives no file of this process grows beyond so many bytes: a write stops short, then
// fails.
class FullDisk {
 public:
  explicit FullDisk(rlim_t max_file_bytes) : old_handler_(::signal(SIGXFSZ, SIG_IGN)) {
    CHECK(::getrlimit(RLIMIT_FSIZE, &old_limit_) == 0);
    const rlimit limit{max_file_bytes, old_limit_.rlim_max};
    CHECK(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit_);
    ::signal(SIGXFSZ, old_handler_);
  }
  FullDisk(const FullDisk&) = delete;

 private:
  void (*old_handler_)(int);
  rlimit old_limit_;
};

}  // namespace burnish::agent
