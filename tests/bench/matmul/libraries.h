// The libraries that our kernels are compared with: OpenBLAS and oneDNN. The only file that knows
// either.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/bench/matmul/contest.h"
#include "tests/bench/matmul/problem.h"

namespace burnish::bench {

// Every way that the libraries offer to compute the instance, checked; the instance outlives them.
// Constant weights are packed ahead where a library can, the epilogue is fused where it can; else
// `epilogue`, which works on the output in place, follows. None if no library has the types.
absl::StatusOr<std::vector<Contender>> LibraryContenders(const Instance& instance,
                                                         const std::function<void()>& epilogue);

// Name and version with the code that it chose for this processor.
std::vector<std::pair<std::string, std::string>> LibraryVersions();

}  // namespace burnish::bench
