// The records of a measured space by configuration, to look up what a trial would have measured.
// Immutable after Create, so thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "common/measured/measured_space.h"
#include "common/space/search_space.h"

namespace burnish::measured {

class Table {
 public:
  // InvalidArgument if there are no records.
  static absl::StatusOr<Table> Create(MeasuredSpace measured);

  const MeasuredSpace& measured() const { return measured_; }
  // Of all recorded configurations and no others.
  const space::SearchSpace& space() const { return space_; }
  const Record& At(space::ConfigurationIndex index) const {
    return measured_.records[record_of_[index]];
  }
  // The least latency; nothing if every record is a failure.
  std::optional<double> OptimumSeconds() const { return optimum_seconds_; }

 private:
  Table(MeasuredSpace measured, space::SearchSpace space);

  MeasuredSpace measured_;
  space::SearchSpace space_;
  std::vector<uint32_t> record_of_;  // by configuration
  std::optional<double> optimum_seconds_;
};

}  // namespace burnish::measured
