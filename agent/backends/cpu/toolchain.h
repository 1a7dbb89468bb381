// The host's C++ compiler: which one it is, and running it under a deadline. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/subprocess.h"

namespace burnish::backends::cpu {

struct Toolchain {
  std::string program;   // full path
  std::string version;   // first line of `--version`
  std::string launcher;  // ccache, if BURNISH_COMPILE_CACHE=1 asks for it and it is there
  bool is_clang = false;
};

// $BURNISH_CXX, else the first of g++, clang++, c++ on the PATH. Found once per process. NotFound
// says where was looked.
const absl::StatusOr<Toolchain>& HostToolchain();

struct ToolRun {
  ExitStatus status;
  std::string output;  // both streams
};
// DeadlineExceeded at the deadline (in SystemClock().Monotonic() time), Cancelled as soon as
// `cancel_fd` is readable or hung up; the whole process group is killed then.
absl::StatusOr<ToolRun> RunTool(const std::vector<std::string>& arguments,
                                const std::string& folder, absl::Duration deadline, int cancel_fd);

}  // namespace burnish::backends::cpu
