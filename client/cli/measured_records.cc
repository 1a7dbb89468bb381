#include "client/cli/measured_records.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/status_macros.h"
#include "common/measured/space_builder.h"
#include "common/wire/configuration.h"
#include "common/wire/measurement.h"

namespace burnish::cli {
namespace {

absl::StatusOr<const pb::TaskSnapshot*> FindTask(const pb::JobSnapshot& job,
                                                 const std::string& task_id) {
  std::vector<std::string> known;
  for (const pb::TaskSnapshot& task : job.tasks()) {
    if (task.task_id() == task_id) return &task;
    known.push_back(task.task_id());
  }
  if (!task_id.empty()) {
    return DiagnosticStatus(absl::StatusCode::kNotFound,
                            {.message = absl::StrCat(job.job_id(), " has no task ", task_id),
                             .hint = NameHint(task_id, known)});
  }
  if (job.tasks_size() == 1) return &job.tasks(0);
  return InvalidInput(
      absl::StrCat(job.job_id(), " has ", job.tasks_size(), " tasks; this format holds one"),
      absl::StrCat("choose by --task, ", NameHint("", known)));
}

measured::Record RecordOf(const work::Measurement& measurement) {
  measured::Record record{.outcome = measurement.outcome,
                          .message = measurement.message,
                          .compile_seconds = measurement.compile_seconds};
  if (measurement.outcome != work::Outcome::kOk) return record;
  if (measurement.latency) record.latency_seconds = measurement.latency->seconds;
  for (const work::Sample& sample : measurement.samples) {
    record.samples_seconds.push_back(sample.LatencySeconds());
  }
  // By the names that are read back (common/measured/figures.h).
  const work::Figures& figures = measurement.figures;
  if (figures.energy_joules) record.metrics.push_back({"energy", *figures.energy_joules, "J"});
  if (figures.power_watts) record.metrics.push_back({"power", *figures.power_watts, "W"});
  if (figures.memory_bytes) record.metrics.push_back({"memory", *figures.memory_bytes, "bytes"});
  return record;
}

}  // namespace

absl::StatusOr<measured::MeasuredSpace> MeasuredSpaceOf(const JobRecords& records,
                                                        const std::string& task_id) {
  ASSIGN_OR_RETURN(const pb::TaskSnapshot* const task, FindTask(records.job, task_id));
  measured::SpaceBuilder builder(records.job.name(), "");
  builder.kernel() = task->problem();
  builder.device() = task->device().info().name();
  for (const pb::Record& stored : records.records) {
    if (stored.task_id() != task->task_id() || !stored.has_measurement()) continue;
    ASSIGN_OR_RETURN(const work::Measurement measurement, wire::FromProto(stored.measurement()));
    // It says nothing of the configuration.
    if (measurement.outcome == work::Outcome::kInfrastructure) continue;
    ASSIGN_OR_RETURN(const space::Configuration configuration,
                     wire::FromProto(stored.configuration()));
    const std::string& path = stored.attempt_id();
    std::vector<expr::Value> values;
    const bool first = builder.parameter_count() == 0;
    for (const space::Setting& setting : configuration) {
      if (first) RETURN_IF_ERROR(builder.AddParameter(path, setting.name));
      values.push_back(setting.value);
    }
    builder.Add(path, values, RecordOf(measurement));
  }
  return std::move(builder).Finish();
}

}  // namespace burnish::cli
