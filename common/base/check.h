// Invariant checks that stay on in every build. A failed check is a bug in Burnish, never a
// reaction to input: it prints the place and aborts. (Debian's abseil has no log library.)
#pragma once

#include <sstream>
#include <string>

namespace burnish::internal {

[[noreturn]] void FailCheck(const char* file, int line, const std::string& message);

// Collects the streamed message of one failing CHECK and aborts at the end of the statement.
class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition) : file_(file), line_(line) {
    stream_ << "CHECK failed: " << condition << " ";
  }
  [[noreturn]] ~CheckFailure() { FailCheck(file_, line_, stream_.str()); }
  std::ostream& stream() { return stream_; }

 private:
  const char* file_;
  int line_;
  std::ostringstream stream_;
};

struct Voidify {
  void operator&(std::ostream&) {}
};

}  // namespace burnish::internal

#define CHECK(condition)                         \
  (condition) ? static_cast<void>(0)             \
              : ::burnish::internal::Voidify() & \
                    ::burnish::internal::CheckFailure(__FILE__, __LINE__, #condition).stream()
#define CHECK_OK(expression)                                             \
  do {                                                                   \
    const auto burnish_check_status = (expression);                      \
    CHECK(burnish_check_status.ok()) << burnish_check_status.ToString(); \
  } while (false)
