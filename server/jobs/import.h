// Records of other tuners, as history of a job's kernel: those that are configurations of the job's
// space are stored, for whichever job of the same kernel comes later.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/space/parameter.h"
#include "server/jobs/submission.h"
#include "server/store/store.h"

namespace burnish::jobs {

// Of one file.
struct RecordTable {
  std::vector<space::Parameter> parameters;
  std::vector<uint32_t> value_indices;  // record by record that of each parameter's value
  std::vector<double> latency_seconds;  // of each record; 0: it failed
};

struct ImportRequest {
  Submission job;  // what of it makes up the job's text
  std::string file_name;
  std::string device_class;
  RecordTable records;
};

struct Imported {
  store::Import set;
  int64_t outside = 0;  // records that are no configuration of the space
  std::string outside_example;
  int64_t replaced = 0;
};

// InvalidArgument Diagnostics for a bad job, for one of a workload, and for records of which none
// is in the space; nothing is stored then.
absl::StatusOr<Imported> Import(store::Store& store, const Namespace& owner,
                                const ImportRequest& request);

}  // namespace burnish::jobs
