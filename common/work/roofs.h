// What a device can do at most, as measured on it: arithmetic by element type, reading by level of
// its memory; and how near to that a kernel comes.
//
// A roof is of the whole device: of several thread counts the fastest counts, because nobody knows
// how many threads a kernel starts. So a perfect kernel of one thread on a processor of eight cores
// has an eighth of it. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace burnish::work {

// Of the data caches of one core; the last one may be shared. 0: there is none, or nobody knows.
struct Caches {
  int64_t l1d_bytes = 0;
  int64_t l2_bytes = 0;
  int64_t l3_bytes = 0;

  bool operator==(const Caches&) const = default;
};

struct Peak {
  std::string dtype;  // of the factors: "f32", "f64", "i8", "bf16"
  int threads = 1;
  double operations_per_second = 0;  // a multiplication and an addition are two

  bool operator==(const Peak&) const = default;
};

struct Bandwidth {
  std::string level;           // "L1", "L2", "L3", "memory"
  int64_t capacity_bytes = 0;  // of all that the threads have of this level
  int threads = 1;
  double bytes_per_second = 0;  // read

  bool operator==(const Bandwidth&) const = default;
};

// Why there are none, while there soon will be.
inline constexpr char kRoofsPending[] = "they are being measured";

struct Roofs {
  std::vector<Peak> peaks;
  std::vector<Bandwidth> bandwidths;  // for each number of threads from the nearest level outwards
  std::string absence;                // why there are none, for people

  bool known() const { return !peaks.empty() && !bandwidths.empty(); }
  bool operator==(const Roofs&) const = default;
};

// What one execution of a kernel has to do; 0 or empty where nobody knows.
struct KernelWork {
  double flops = 0;
  double bytes = 0;               // that have to be moved at least
  int64_t working_set_bytes = 0;  // of all its buffers
  std::string dtype;              // of the arithmetic

  bool operator==(const KernelWork&) const = default;
};

// For one number of threads; nothing if it was not measured. "u8" has the peak of "i8".
std::optional<double> PeakOf(const Roofs& roofs, std::string_view dtype, int threads);
// The largest number of threads measured; 0 without roofs.
int MostThreads(const Roofs& roofs);

// Operations per second that the device allows for this work: its peak, or what the level that the
// working set fits in can feed. Nothing unless all that it takes is known.
std::optional<double> AttainableOperations(const Roofs& roofs, const KernelWork& work);
// Achieved over attainable.
std::optional<double> RoofShare(const Roofs& roofs, const KernelWork& work, double seconds);

}  // namespace burnish::work
