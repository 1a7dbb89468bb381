// What the bench searches: the measured spaces of a folder, and a made-up one that is large.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/measured/table.h"

namespace burnish::bench {

struct Space {
  std::string kernel;  // spaces of one kernel are several devices
  measured::Table table;

  const std::string& name() const { return table.measured().name; }
};

// The files `KERNEL-DEVICE.t4.json.gz` and `KERNEL-DEVICE.cache.json.gz`, by name.
absl::StatusOr<std::vector<Space>> LoadSpaces(const std::string& folder);

// 350,000 configurations of six parameters whose time is a smooth function of them: made up, to see
// what a proposal costs there.
measured::Table SyntheticTable();

}  // namespace burnish::bench
