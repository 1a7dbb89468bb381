#include "server/jobs/import.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/work/task_definition.h"

namespace burnish::jobs {
namespace {

absl::Status InFile(const ImportRequest& request, std::string message, std::string hint) {
  return DiagnosticStatus(
      absl::StatusCode::kInvalidArgument,
      {.file = request.file_name, .message = std::move(message), .hint = std::move(hint)});
}

absl::Status CheckName(const std::string& name, const char* field) {
  if (!name.empty() && name.size() <= limits::kNameBytes) return absl::OkStatus();
  return InvalidInput(absl::StrCat(field, name.empty() ? ": missing" : ": too long"),
                      absl::StrCat("a name of at most ", limits::kNameBytes, " bytes"));
}

// What no client of ours sends.
absl::Status CheckTable(const RecordTable& table) {
  const size_t records = table.latency_seconds.size();
  const size_t width = table.parameters.size();
  if (width > limits::kParameters || table.value_indices.size() != records * width) {
    return InvalidInput("records: the value indices are not one for each parameter of each record");
  }
  if (records > static_cast<size_t>(limits::kImportedRecords)) {
    return InvalidInput(
        absl::StrCat("records: ", records, "; a file may have ", limits::kImportedRecords),
        "leave out slow ones");
  }
  for (size_t i = 0; i < table.value_indices.size(); ++i) {
    if (table.value_indices[i] < table.parameters[i % width].values.size()) continue;
    return InvalidInput("records: a value index is out of range");
  }
  const auto is_latency = [](double seconds) { return std::isfinite(seconds) && seconds >= 0; };
  if (std::ranges::all_of(table.latency_seconds, is_latency)) return absl::OkStatus();
  return InvalidInput("records: a latency is below 0 or not finite");
}

std::vector<std::string> NamesOf(const std::vector<space::Parameter>& parameters) {
  std::vector<std::string> names;
  for (const space::Parameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

// Names are what records and job have to have in common.
absl::Status CheckParameters(const ImportRequest& request, const space::SearchSpace& space) {
  const std::vector<std::string> of_file = NamesOf(request.records.parameters);
  const std::vector<std::string> of_job = NamesOf(space.parameters());
  for (const std::string& name : of_job) {
    if (std::ranges::count(of_file, name) == 1) continue;
    return InFile(request,
                  absl::StrCat("the job's parameter '", name, "' is not in this file's records"),
                  NameHint(name, of_file));
  }
  for (const std::string& name : of_file) {
    if (std::ranges::count(of_job, name) == 1) continue;
    return InFile(request, absl::StrCat("its parameter '", name, "' is none of the job's"),
                  NameHint(name, of_job));
  }
  return absl::OkStatus();
}

space::Configuration ConfigurationOf(const RecordTable& table, size_t record) {
  space::Configuration configuration;
  const size_t width = table.parameters.size();
  for (size_t i = 0; i < width; ++i) {
    const space::Parameter& parameter = table.parameters[i];
    configuration.push_back(
        {parameter.name, parameter.values[table.value_indices[record * width + i]]});
  }
  return configuration;
}

std::string WhyOutside(const space::SearchSpace& space, const space::Configuration& configuration) {
  const absl::StatusOr<std::optional<size_t>> broken = space.BrokenConstraint(configuration);
  const std::string text = space::ToJson(configuration);
  if (!broken.ok()) return absl::StrCat(text, ": ", std::string(broken.status().message()));
  if (!broken->has_value()) return text;
  return absl::StrCat(text, ": it breaks constraints[", **broken, "] '",
                      space.constraints()[**broken].text(), "'");
}

}  // namespace

absl::StatusOr<Imported> Import(store::Store& store, const Namespace& owner,
                                const ImportRequest& request) {
  RETURN_IF_ERROR(CheckName(request.file_name, "file_name"));
  RETURN_IF_ERROR(CheckName(request.device_class, "device_class"));
  RETURN_IF_ERROR(CheckTable(request.records));
  ASSIGN_OR_RETURN(const spec::JobText text, TextOf(store, owner, request.job));
  ASSIGN_OR_RETURN(const spec::JobSpec spec, spec::ReadJob(text, spec::SourceCheck::kRequired));
  if (spec.workload) {
    return DiagnosticStatus(
        absl::StatusCode::kInvalidArgument,
        {.file = text.file_name,
         .path = "workload",
         .message = "records are imported for a kernel of one's own",
         .hint = "a workload's search space is Burnish's; other tuners have no records of it"});
  }
  ASSIGN_OR_RETURN(const spec::JobSpace built, spec::BuildSpace(text, spec));
  RETURN_IF_ERROR(CheckParameters(request, built.space));

  Imported imported;
  store::NewImport import{.family = work::KernelFamily(spec),
                          .problem = spec.name,
                          .problem_key = work::ProblemKey(spec),
                          .source_hash = work::SourceHash(spec),
                          .device_class = request.device_class,
                          .file_name = request.file_name,
                          .records = {}};
  absl::flat_hash_map<space::ConfigurationIndex, size_t> place_of;
  for (size_t i = 0; i < request.records.latency_seconds.size(); ++i) {
    const space::Configuration configuration = ConfigurationOf(request.records, i);
    const std::optional<space::ConfigurationIndex> index = built.space.IndexOf(configuration);
    if (!index) {
      if (imported.outside++ == 0) {
        imported.outside_example = WhyOutside(built.space, configuration);
      }
      continue;
    }
    const auto [place, is_new] = place_of.try_emplace(*index, import.records.size());
    if (is_new) {
      import.records.push_back({space::CanonicalJson(built.space.At(*index)), 0});
    }
    import.records[place->second].latency_seconds = request.records.latency_seconds[i];
  }
  if (import.records.empty()) {
    if (imported.outside == 0) return InFile(request, "it has no records", "");
    return InFile(
        request,
        absl::StrCat("none of its ", imported.outside,
                     " records is a configuration of the job: ", imported.outside_example),
        "the parameters' values and the constraints are those of the job file");
  }
  ASSIGN_OR_RETURN(const store::ImportResult stored, store.StoreImport(owner, import));
  imported.replaced = stored.replaced;
  imported.set = {
      .id = stored.id,
      .problem = import.problem,
      .device_class = import.device_class,
      .file_name = import.file_name,
      .records = static_cast<int64_t>(import.records.size()),
      .failed = std::ranges::count(import.records, 0.0, &store::NewImport::Record::latency_seconds),
      .imported = store.Now()};
  return imported;
}

}  // namespace burnish::jobs
