#include "common/work/schedule.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace burnish::work {
namespace {

using Json = nlohmann::json;

absl::Status Malformed(std::string_view what) {
  return absl::DataLossError(absl::StrCat("a stored schedule: ", std::string(what)));
}

// A parameter's values as JSON, by way of a configuration for each.
Json ValuesJson(const space::Parameter& parameter) {
  Json values = Json::array();
  for (const expr::Value& value : parameter.values) {
    values.push_back(space::ToJson({{parameter.name, value}}));
  }
  return values;
}

absl::StatusOr<space::Parameter> ParameterFrom(const Json& values) {
  space::Parameter parameter;
  for (const Json& value : values) {
    ASSIGN_OR_RETURN(const space::Configuration one,
                     space::ConfigurationFromJson(value.get<std::string>()));
    if (one.size() != 1) return Malformed("a value without a name");
    parameter.name = one[0].name;
    parameter.values.push_back(one[0].value);
  }
  return parameter;
}

Json KernelJson(const spec::Kernel& kernel) {
  Json variants = Json::object();
  for (const auto& [value, source] : kernel.variants) {
    variants[value] = {{"file", source.file}, {"text", source.text}};
  }
  return {{"language", kernel.language}, {"by", kernel.by},           {"variants", variants},
          {"entry", kernel.entry},       {"prepare", kernel.prepare}, {"flags", kernel.flags}};
}

spec::Kernel KernelFrom(const Json& json) {
  spec::Kernel kernel;
  kernel.language = json.at("language").get<std::string>();
  kernel.by = json.at("by").get<std::string>();
  for (const auto& [value, source] : json.at("variants").items()) {
    kernel.variants[value] = {.file = source.at("file").get<std::string>(),
                              .text = source.at("text").get<std::string>()};
  }
  kernel.entry = json.at("entry").get<std::string>();
  kernel.prepare = json.at("prepare").get<std::string>();
  kernel.flags = json.at("flags").get<std::vector<std::string>>();
  return kernel;
}

absl::StatusOr<Schedule> ScheduleFrom(const Json& json) {
  Schedule schedule;
  for (const Json& values : json.at("parameters")) {
    ASSIGN_OR_RETURN(schedule.parameters.emplace_back(), ParameterFrom(values));
  }
  schedule.constraints = json.at("constraints").get<std::vector<std::string>>();
  ASSIGN_OR_RETURN(schedule.default_configuration,
                   space::ConfigurationFromJson(json.at("default").get<std::string>()));
  schedule.kernel = KernelFrom(json.at("kernel"));
  schedule.workspace_bytes = json.at("workspace_bytes").get<int64_t>();
  return schedule;
}

std::vector<spec::Argument> ArgumentsOf(const op::Operator& op, int64_t workspace_bytes) {
  std::vector<spec::Argument> arguments;
  for (size_t i = 0; i < op.tensors.size(); ++i) {
    spec::Argument argument;
    argument.name = op.tensors[i].name;
    argument.dtype = op.tensors[i].dtype;
    argument.is_buffer = true;
    argument.shape = op.tensors[i].shape;
    argument.role = i == op.output.tensor ? spec::Role::kOutput : spec::Role::kInput;
    argument.constant = op.tensors[i].constant;
    arguments.push_back(std::move(argument));
  }
  spec::Argument workspace;
  workspace.name = "workspace";
  workspace.dtype = Dtype::kU8;
  workspace.is_buffer = true;
  workspace.shape = {std::max<int64_t>(workspace_bytes, 1)};
  workspace.role = spec::Role::kWorkspace;
  arguments.push_back(std::move(workspace));
  return arguments;
}

}  // namespace

std::string ToText(const Schedule& schedule) {
  Json parameters = Json::array();
  for (const space::Parameter& parameter : schedule.parameters) {
    parameters.push_back(ValuesJson(parameter));
  }
  return Json({{"parameters", parameters},
               {"constraints", schedule.constraints},
               {"default", space::ToJson(schedule.default_configuration)},
               {"kernel", KernelJson(schedule.kernel)},
               {"workspace_bytes", schedule.workspace_bytes}})
      .dump();
}

absl::StatusOr<Schedule> ScheduleFromText(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Malformed("not JSON");
  try {
    return ScheduleFrom(json);
  } catch (const Json::exception& error) {
    return Malformed(error.what());
  }
}

absl::StatusOr<spec::JobSpec> WithSchedule(const spec::JobSpec& spec, const Schedule& schedule) {
  spec::JobSpec made = spec;
  made.kernels = {schedule.kernel};
  made.arguments = ArgumentsOf(spec.workload.value(), schedule.workspace_bytes);
  made.parameters = schedule.parameters;
  made.constraints.clear();
  for (const std::string& text : schedule.constraints) {
    ASSIGN_OR_RETURN(expr::Expression constraint, expr::Expression::Parse(text));
    made.constraints.push_back(std::move(constraint));
  }
  made.default_configuration = schedule.default_configuration;
  made.reference = {};
  made.reference.kind = spec::Reference::Kind::kOperator;
  made.reference.op = spec.workload;
  return made;
}

absl::StatusOr<spec::JobSpec> ReadScheduledJob(const spec::JobText& text,
                                               std::string_view schedule) {
  ASSIGN_OR_RETURN(spec::JobSpec spec, spec::ReadJob(text, spec::SourceCheck::kRequired));
  if (!spec.workload) return spec;
  ASSIGN_OR_RETURN(const Schedule made, ScheduleFromText(schedule));
  return WithSchedule(spec, made);
}

}  // namespace burnish::work
