// burnish validate, space, version: what needs no server.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/job_file.h"
#include "client/cli/local_schedule.h"
#include "client/cli/output.h"
#include "common/base/cpu_time.h"
#include "common/base/status_macros.h"
#include "common/base/version.h"
#include "common/spec/job_reader.h"
#include "nlohmann/json.hpp"

namespace burnish::cli {
namespace {

using Json = nlohmann::ordered_json;

Json ValueJson(const expr::Value& value) {
  if (const bool* boolean = std::get_if<bool>(&value)) return *boolean;
  if (const int64_t* integer = std::get_if<int64_t>(&value)) return *integer;
  if (const double* real = std::get_if<double>(&value)) return *real;
  if (const std::string* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

Json ConfigurationJson(const space::Configuration& configuration) {
  Json json = Json::object();
  for (const space::Setting& setting : configuration) json[setting.name] = ValueJson(setting.value);
  return json;
}

std::string ConfigurationText(const space::Configuration& configuration) {
  std::string text;
  for (const space::Setting& setting : configuration) {
    absl::StrAppend(&text, text.empty() ? "" : " ", setting.name, "=",
                    expr::FormatBare(setting.value));
  }
  return text;
}

absl::StatusOr<int> Validate(const std::string& file, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const spec::JobText job, LoadJobFile(file, LoadSources::kYes));
  ASSIGN_OR_RETURN(const spec::JobSpec read, spec::ReadJob(job, spec::SourceCheck::kRequired));
  ASSIGN_OR_RETURN(const spec::JobSpec spec, ScheduledHere(job, read));
  ASSIGN_OR_RETURN(const spec::JobSpace built, spec::BuildSpace(job, spec));
  const space::Configuration start = built.space.At(built.default_index);
  const auto trials = std::min(spec.budget.trials, static_cast<int64_t>(built.space.size()));
  if (options.json) {
    const Json document = {
        {"valid", true},
        {"name", spec.name},
        {"configurations", absl::StrCat(built.space.size())},
        {"default", ConfigurationJson(start)},
        {"trials", spec.budget.trials},
        // Of the time a server knows.
        {"forecast", {{"trials", trials}, {"seconds", nullptr}, {"device_seconds", nullptr}}},
        {"warnings", spec.warnings}};
    std::printf("%s\n", document.dump(2).c_str());
    return kExitDone;
  }
  for (const std::string& warning : spec.warnings) PrintWarning(warning, options);
  std::printf("%s is a valid job file\n", file.c_str());
  if (spec.workload) std::printf("workload  %s\n", op::Describe(*spec.workload).c_str());
  std::printf("space     %s%llu of %s configurations satisfy the constraints\n",
              built.space.Enumerable() ? "" : "about ",
              static_cast<unsigned long long>(built.space.size()),
              built.space.CartesianSize().c_str());
  std::printf("default   %s\n", ConfigurationText(start).c_str());
  std::printf("budget    at most %lld trials\n", static_cast<long long>(trials));
  if (!spec.unserved) std::printf("next      burnish tune %s\n", file.c_str());
  return kExitDone;
}

absl::StatusOr<int> Space(const std::string& file, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const spec::JobText job, LoadJobFile(file, LoadSources::kNo));
  const double before = ProcessCpuSeconds();
  ASSIGN_OR_RETURN(const spec::JobSpec read, spec::ReadJob(job, spec::SourceCheck::kNotNeeded));
  ASSIGN_OR_RETURN(const spec::JobSpec spec, ScheduledHere(job, read));
  ASSIGN_OR_RETURN(const spec::JobSpace built, spec::BuildSpace(job, spec));
  const double seconds = ProcessCpuSeconds() - before;
  ASSIGN_OR_RETURN(const auto shares, space::AnalyseConstraints(spec.parameters, spec.constraints));
  if (options.json) {
    Json constraints = Json::array();
    for (const auto& share : shares) {
      constraints.push_back({{"text", share.text}, {"kept", share.kept}});
    }
    Json parameters = Json::array();
    for (const space::Parameter& parameter : spec.parameters) {
      Json values = Json::array();
      for (const expr::Value& value : parameter.values) values.push_back(ValueJson(value));
      parameters.push_back({{"name", parameter.name}, {"values", values}});
    }
    const Json document = {{"cartesian", built.space.CartesianSize()},
                           {"valid", absl::StrCat(built.space.size())},
                           {"exact", built.space.Enumerable()},
                           {"seconds", seconds},
                           {"constraints", constraints},
                           {"parameters", parameters}};
    std::printf("%s\n", document.dump(2).c_str());
    return kExitDone;
  }
  std::printf("cartesian %s\nvalid     %s%llu\nbuilt in  %.3f s\n",
              built.space.CartesianSize().c_str(), built.space.Enumerable() ? "" : "about ",
              static_cast<unsigned long long>(built.space.size()), seconds);
  for (const auto& share : shares) {
    std::printf("keeps %5.1f %%%s  %s\n", 100 * share.kept, share.exact ? " " : "~",
                share.text.c_str());
  }
  return kExitDone;
}

void AddFileVerb(CLI::App& app, CommandContext& context, const std::string& name,
                 const std::string& description,
                 absl::StatusOr<int> (*run)(const std::string&, const GlobalOptions&)) {
  CLI::App* command = app.add_subcommand(name, description);
  auto file = std::make_shared<std::string>();
  command->add_option("file", *file, "job file (YAML or JSON), or - for standard input")
      ->required();
  command->footer(absl::StrCat("Example: burnish ", name, " job.yaml"));
  SetAction(command, context, Acts::kNowhere,
            [file, run, &context] { return run(*file, context.options); });
}

}  // namespace

void AddValidate(CLI::App& app, CommandContext& context) {
  AddFileVerb(app, context, "validate", "check a job file without a device", Validate);
}

void AddSpace(CLI::App& app, CommandContext& context) {
  AddFileVerb(app, context, "space", "size of the search space and what each constraint removes",
              Space);
}

void AddVersion(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("version", "print the version");
  command->footer("Example: burnish version --json");
  SetAction(command, context, Acts::kNowhere, [&context] {
    if (context.options.json) {
      std::printf("%s\n", Json({{"version", kVersion}}).dump().c_str());
    } else {
      std::printf("burnish %s\n", kVersion);
    }
    return static_cast<int>(kExitDone);
  });
}

}  // namespace burnish::cli
