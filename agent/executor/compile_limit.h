// How long the candidates of a task may compile, from how long those that compiled took: an endless
// one shall not cost the whole limit of the job each time. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/time/time.h"

namespace burnish::agent {

class CompileLimit {
 public:
  // Ten times the longest of at least eight, but never so short that a busy machine would decide.
  static constexpr int64_t kLeastSeen = 8;
  static constexpr int kFactor = 10;
  static constexpr absl::Duration kLeast = absl::Seconds(10);

  void Note(absl::Duration compiled) {
    ++seen_;
    longest_ = std::max(longest_, compiled);
  }
  // At most the job's. Nothing: as yet that holds.
  std::optional<absl::Duration> Limit(absl::Duration jobs) const {
    if (seen_ < kLeastSeen) return std::nullopt;
    const absl::Duration limit = std::max(kFactor * longest_, kLeast);
    return limit < jobs ? std::optional(limit) : std::nullopt;
  }

 private:
  int64_t seen_ = 0;
  absl::Duration longest_;
};

}  // namespace burnish::agent
