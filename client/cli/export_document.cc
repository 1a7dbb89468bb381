#include "client/cli/export_document.h"

#include <algorithm>
#include <map>

#include "client/cli/job_names.h"
#include "client/cli/report.h"
#include "common/base/status_macros.h"

namespace burnish::cli {

using Json = nlohmann::ordered_json;

absl::StatusOr<JobRecords> FetchRecords(JobClient& client, const std::string& job_name) {
  ASSIGN_OR_RETURN(const std::string job_id, ResolveJob(client, job_name));
  JobRecords fetched;
  ASSIGN_OR_RETURN(fetched.job, client.Get(job_id));
  RETURN_IF_ERROR(client.Records(
      job_id, "measure", [&](const pb::Record& record) { fetched.records.push_back(record); }));
  return fetched;
}

Json ExportDocument(const JobRecords& exported, Samples samples) {
  std::vector<std::map<std::string, std::string>> environments;
  Json records = Json::array();
  for (const pb::Record& record : exported.records) {
    const auto& entries = record.measurement().environment().entries();
    std::map<std::string, std::string> environment(entries.begin(), entries.end());
    auto known = std::ranges::find(environments, environment);
    if (known == environments.end()) {
      known = environments.insert(known, std::move(environment));
    }
    Json document = RecordDocument(record);
    if (samples == Samples::kLeftOut) document.erase("samples");
    document["stored_unix_ms"] = record.stored_unix_ms();
    document["environment"] = known - environments.begin();
    records.push_back(std::move(document));
  }
  return {{"schema", kRecordsSchema},
          {"job", JobDocument(exported.job)},
          {"job_text", exported.job.job_text()},
          {"environments", environments},
          {"records", records}};
}

}  // namespace burnish::cli
