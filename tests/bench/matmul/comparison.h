// The figure that this bench is about: our kernel for a problem, found by search, beside what the
// libraries make of it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "tests/bench/matmul/tuner.h"

namespace burnish::bench {

struct Settings {
  int64_t trials = 60;
  ContestPlan contest;  // the final one, with warm caches
  bool cold = true;     // figures with cold caches beside it
  std::string folder;   // of artefacts
  work::Roofs roofs;    // of the cores that this process has
  ConfigurationFile* configurations = nullptr;
  std::function<void(std::string)> remark;
};

struct Standing {
  double least = 0;  // seconds
  double median = 0;
};

struct Comparison {
  Problem problem;
  int64_t trials = 0;
  int64_t trials_to_most_of_the_gain = 0;
  space::Configuration configuration;    // ours
  std::map<std::string, Standing> warm;  // by contender; "ours", "default" and "textbook" are there
  std::map<std::string, Standing> cold;  // of "ours" and the libraries
  std::vector<std::string> libraries;    // those that do all of the work
  std::optional<double> peak;            // operations per second

  // The fastest library's time over the contender's, by minimum or by median.
  double Ratio(const std::map<std::string, Standing>& standings, double Standing::*of,
               const std::string& contender = "ours") const;
  std::string BestLibrary() const;
  double Gflops(const std::string& contender) const;
};

// What stands beside libraries in the contest and does the whole work too.
using MoreContenders = std::function<absl::StatusOr<std::vector<Contender>>(const Instance&)>;

// Searches, unless the configurations are known, then lets the best three, the default, the
// textbook's and the libraries compete. Which of the best three or the default is ours is decided
// by the first half of the rounds; all figures are of the second half.
absl::StatusOr<Comparison> Compare(const Problem& problem, const Settings& settings,
                                   const MoreContenders& more = nullptr);

// Known configurations, or those of a search, which are known from then on.
absl::StatusOr<Tuned> TunedFor(const Instance& instance, const KernelFactory& kernels,
                               const Settings& settings);

// The epilogue of an instance as a vectorised pass of its own over `output`; null without one.
absl::StatusOr<std::function<void()>> EpiloguePass(const Instance& instance, void* output,
                                                   const std::string& folder);

void PrintHeader(const std::string& group);
void PrintRow(const Comparison& comparison);
nlohmann::json ToJson(const std::string& group, const Comparison& comparison);

}  // namespace burnish::bench
