// Looks at a kernel's source for what a job file has to say of it: entry, arguments, parameters.
// A reader of C's surface, not a compiler: what it does not understand it leaves out. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/dtype.h"

namespace burnish::cli {

struct ScannedArgument {
  std::string name;
  std::string type;  // as written, without qualifiers
  std::optional<Dtype> dtype;
  bool is_buffer = false;
  bool is_const = false;
};

// `#define NAME VALUE` with a number or a boolean.
struct ScannedMacro {
  std::string name;
  std::string value;
  bool guarded = false;  // by #ifndef NAME: a definition from outside wins
};

struct ScannedKernel {
  std::string entry;
  std::vector<ScannedArgument> arguments;
  std::vector<ScannedMacro> macros;
  std::vector<std::string> undefined;  // names in capitals that are used and nowhere defined
};

// Takes the function named `entry`; if that is empty, the first `__kernel` or `__global__` one,
// else the first `extern "C"`, else the last that is not static. InvalidArgument if there is none.
absl::StatusOr<ScannedKernel> ScanKernel(const std::string& source, const std::string& entry);

}  // namespace burnish::cli
