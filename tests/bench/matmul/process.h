// The conditions that a comparison of kernels needs of its process: fixed cores, and libraries that
// nobody has configured. Both must be there before the libraries are loaded, so that this program
// runs its measuring part as a child.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace burnish::bench {

// Runs this program with the arguments, on the last `threads` of the cores and with as many threads
// for every library, and gives its exit code. Variables that steer the libraries are taken away.
absl::StatusOr<int> RunPinned(std::vector<std::string> arguments, int threads);

// The cores that this process may use.
int CountCores();

// Of a process with two cores: the first thread stays on one of them, all others, of which every
// library and kernel has one, on the other. No scheduler then lets two share a core for a while.
void KeepThreadsApart();

// Lets the calling thread, and the programs it starts, use all cores: compilers.
void UseAllCores();

}  // namespace burnish::bench
