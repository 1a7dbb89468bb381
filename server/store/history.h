// What is known of a kernel from before: the history that a task's search starts from, and the sets
// of records that it is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/base/ids.h"
#include "common/space/search_space.h"

namespace burnish::store {

// Fixed with a task when it is made.
struct HistoryRecord {
  space::ConfigurationIndex index = 0;  // in the task's search space
  double latency_seconds = 0;           // 0: it failed there
};
struct HistorySource {
  std::string name;  // for people: "matmul on Zen 4"
  std::vector<HistoryRecord> records;
};
// The same in short.
struct HistorySummary {
  std::string name;
  int64_t records = 0;
};

// All measurements of one problem on one device class, of whichever tasks; or an imported set.
struct RecordSet {
  std::string problem;  // for people
  std::string problem_key;
  std::string device_class;
  TaskId task;  // the latest of those tasks
  std::optional<ImportId> import;
  std::string file_name;  // of an imported set
};
// One configuration's latest.
struct MeasuredConfiguration {
  space::Configuration configuration;
  double latency_seconds = 0;  // 0: it failed
};

// Records of another tuner, or of another Burnish, for a job's kernel. The same problem, source,
// device class and file name is the same set.
struct NewImport {
  std::string family;
  std::string problem;
  std::string problem_key;
  std::string source_hash;
  std::string device_class;
  std::string file_name;
  struct Record {
    std::string configuration;   // space::CanonicalJson
    double latency_seconds = 0;  // 0: it failed
  };
  std::vector<Record> records;  // distinct configurations
};
struct Import {
  ImportId id;
  std::string problem;
  std::string device_class;
  std::string file_name;
  int64_t records = 0;
  int64_t failed = 0;  // of the records
  absl::Time imported;
};
struct ImportResult {
  ImportId id;
  int64_t replaced = 0;  // records of the set that was there before
};

}  // namespace burnish::store
