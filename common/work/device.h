// What an agent says of a device: the silicon (device class), what a job can ask for
// (capabilities, labels), and, apart from it, the environment stored with every record.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/ids.h"
#include "common/expr/expression.h"
#include "common/spec/metric.h"
#include "common/work/roofs.h"

namespace burnish::work {

struct DeviceInfo {
  std::string backend;       // "cpu"
  int32_t index = 0;         // within the backend
  std::string name;          // "AMD EPYC 9R14"
  std::string device_class;  // silicon that devices of equal performance share
  std::string vendor;
  std::string arch;  // "x86_64"
  int64_t cores = 0;
  int64_t memory_bytes = 0;
  std::vector<std::string> isa;        // "avx2", "avx512f"
  std::vector<std::string> languages;  // what it can compile and run: "cpp"
  std::vector<spec::Metric> metrics;   // what it can say of a candidate
  std::map<std::string, std::string> labels;
  std::string exclusion_group;  // devices that share silicon or power: one runs at a time
  std::map<std::string, std::string> environment;  // driver, toolchain and flags, OS, clock policy
  std::string unavailable_reason;                  // why it can do nothing now; empty if it can
  std::string isolation;  // of candidates, its level first: "full: user pid ... seccomp, rlimits"
  Caches caches;
  Roofs roofs;
};

// A device attached to the server.
struct AttachedDevice {
  DeviceId id;  // AGENT/BACKEND:INDEX
  AgentId agent;
  DeviceInfo info;
};

// Names that a `devices:` expression may use: backend, name, device_class, vendor, arch, cores,
// memory_bytes, isa, isolation (the levels that it holds), and label.KEY.
std::vector<std::string> SelectorNames();
// Whether the selector accepts the device. A label that the device lacks is the empty string.
absl::StatusOr<bool> SelectorMatches(const expr::Expression& selector, const DeviceInfo& device);

// SHA-256 of the sorted environment entries.
std::string EnvironmentHash(const std::map<std::string, std::string>& environment);

}  // namespace burnish::work
