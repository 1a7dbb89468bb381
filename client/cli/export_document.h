// All that is known of a job as one document, `burnish.records/1`: what `export --format json`
// writes and `diff` compares. Pure but for the calls to the server.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/job_client.h"
#include "nlohmann/json.hpp"

namespace burnish::cli {

inline constexpr char kRecordsSchema[] = "burnish.records/1";

struct JobRecords {
  pb::JobSnapshot job;
  std::vector<pb::Record> records;  // of kind measure
};
absl::StatusOr<JobRecords> FetchRecords(JobClient& client, const std::string& job_name);

enum class Samples { kIncluded, kLeftOut };

// {schema, job, job_text, environments, records}; a record names its environment by its position
// in `environments`.
nlohmann::ordered_json ExportDocument(const JobRecords& records, Samples samples);

}  // namespace burnish::cli
