// The search for good configurations of one instance, in this process: the service's own strategy
// over the service's own space, each trial compiled before anything is timed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/bench/matmul/kernels.h"

namespace burnish::bench {

struct Tuned {
  std::vector<space::Configuration> best;  // the fastest few, the fastest first
  // By trial: the default's time over its own; 0 where it failed. The default is trial 0.
  std::vector<double> speedups;
  std::vector<std::string> failures;  // messages

  // The trial at which the best so far had 90 % of what the search gained over the default in time;
  // 0 if it gained less than a hundredth.
  int64_t TrialsToMostOfTheGain() const;
};

// `apart` as in ContestPlan.
absl::StatusOr<Tuned> Search(const KernelFactory& kernels, int64_t trials, bool apart);

// What searches found, as JSON lines in a file: a comparison can be repeated without them.
class ConfigurationFile {
 public:
  // Empty if there is no such file; without a path nothing is kept.
  static absl::StatusOr<ConfigurationFile> Load(std::string path);

  // Null if there is nothing for the instance and this processor, or if it was found in another
  // space.
  const Tuned* Find(const Instance& instance, const KernelFactory& kernels) const;
  absl::Status Add(const Instance& instance, const Tuned& tuned);

 private:
  explicit ConfigurationFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::map<std::string, Tuned> known_;
};

}  // namespace burnish::bench
