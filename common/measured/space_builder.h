// Collects the records of a file into a MeasuredSpace: learns the domains, drops duplicates, counts
// what was tolerated. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/measured/json_tree.h"
#include "common/measured/measured_space.h"

namespace burnish::measured {

class SpaceBuilder {
 public:
  SpaceBuilder(std::string name, std::string format);

  std::string& kernel() { return space_.kernel; }
  std::string& device() { return space_.device; }
  size_t parameter_count() const { return space_.parameters.size(); }
  const std::string& parameter_name(size_t index) const { return space_.parameters[index].name; }
  std::optional<size_t> ParameterIndex(const std::string& name) const;

  // All parameters come before the first record. One without a domain has the values that occur.
  absl::Status AddParameter(const std::string& path, const std::string& name);
  absl::Status DeclareDomain(size_t parameter, const std::string& path, const JsonList& values);

  // `values` in the order of parameters; `path` is the record's. Of two records of one
  // configuration the last counts.
  void Add(const std::string& path, const std::vector<expr::Value>& values, Record record);
  // The same from an object that holds a value for each parameter, among others.
  absl::Status AddObject(const std::string& path, const JsonValue& object, Record record);

  // The runs in a list, as seconds; those that are no times are left out.
  std::vector<double> ReadSamples(const std::string& path, const JsonValue* runs,
                                  double seconds_per_unit);
  // Ends a record that did not fail: its latency is the mean of its runs, else `figure_seconds`;
  // without either it is `unstable`.
  void SetLatency(const std::string& path, std::optional<double> figure_seconds, Record& record);

  // Something tolerated, at its first place; counted from the second time on.
  void Warn(const std::string& path, const std::string& what);
  absl::StatusOr<MeasuredSpace> Finish() &&;

 private:
  struct ValueLess {
    bool operator()(const expr::Value& a, const expr::Value& b) const;
  };
  struct Domain {
    std::map<expr::Value, uint32_t, ValueLess> index_of;
    bool declared = false;
  };
  uint32_t ValueIndex(const std::string& path, size_t parameter, const expr::Value& value);
  void SortDomain(size_t parameter);

  MeasuredSpace space_;
  std::vector<Domain> domains_;
  absl::flat_hash_map<std::string, size_t> parameter_of_;
  absl::flat_hash_map<std::vector<uint32_t>, size_t> record_of_;
  std::vector<std::pair<std::string, int64_t>> warnings_;  // the first of its kind; further ones
  absl::flat_hash_map<std::string, size_t> warning_of_;
};

// Kernel Tuner's names of failures; nothing for another text.
std::optional<work::Outcome> OutcomeOfKernelTuner(std::string_view failure);

// 1e-3 for "ms", "milliseconds", "miliseconds", "Milliseconds"; nothing for what is no unit of
// time.
std::optional<double> SecondsPerUnit(std::string_view unit);

}  // namespace burnish::measured
