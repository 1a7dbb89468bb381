// What a process writes to its standard error: passed on to ours as it comes, and its end kept for
// error messages. Use from one thread; a thread of its own reads.
#pragma once

#include <string>
#include <thread>

#include "common/base/unique_fd.h"

namespace burnish::agent {

class ErrorTail {
 public:
  ErrorTail();
  ~ErrorTail();
  ErrorTail(const ErrorTail&) = delete;
  ErrorTail& operator=(const ErrorTail&) = delete;

  // For the process to write to. Close it once the process has it.
  UniqueFd& writer() { return writer_; }
  // Reads what is there, and no further: something that the process started may live on and never
  // close its standard error (a shared connection of ssh). The last lines, joined by "; ".
  std::string Finish();

 private:
  void Read();

  UniqueFd reader_;
  UniqueFd writer_;
  UniqueFd quit_;     // eventfd
  std::string text_;  // the thread's, until it is joined
  std::thread thread_;
};

}  // namespace burnish::agent
