#include "common/work/task_definition.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/hash.h"
#include "common/work/objectives.h"
#include "nlohmann/json.hpp"

namespace burnish::work {
namespace {

using Json = nlohmann::json;  // keeps keys sorted
using Constants = std::vector<std::pair<std::string, expr::Value>>;

std::string ToText(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const char* RoleName(spec::Role role) {
  switch (role) {
    case spec::Role::kInput:
      return "input";
    case spec::Role::kOutput:
      return "output";
    case spec::Role::kInout:
      return "inout";
    case spec::Role::kWorkspace:
      return "workspace";
  }
  return "";
}

const char* FillName(spec::FillKind kind) {
  switch (kind) {
    case spec::FillKind::kUniform:
      return "uniform";
    case spec::FillKind::kNormal:
      return "normal";
    case spec::FillKind::kConstant:
      return "constant";
    case spec::FillKind::kRamp:
      return "ramp";
  }
  return "";
}

const char* ReferenceName(spec::Reference::Kind kind) {
  switch (kind) {
    case spec::Reference::Kind::kAbsent:
      return "absent";
    case spec::Reference::Kind::kNone:
      return "none";
    case spec::Reference::Kind::kFunction:
      return "function";
    case spec::Reference::Kind::kOperator:
      return "operator";
  }
  return "";
}

// Integers, reals and booleans of equal value stay different: 1, 1.0, true.
Json ValueJson(const expr::Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean;
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  Json list = Json::array();
  for (const expr::Value& element : *std::get<expr::List>(value)) {
    list.push_back(ValueJson(element));
  }
  return list;
}

Json ArgumentJson(const spec::Argument& argument) {
  Json json = {{"name", argument.name}, {"dtype", DtypeName(argument.dtype)}};
  if (argument.is_buffer) {
    json["shape"] = argument.shape;
    json["role"] = RoleName(argument.role);
    json["fill"] = {{"kind", FillName(argument.fill.kind)}, {"value", argument.fill.value}};
    if (argument.constant) json["constant"] = true;
  } else {
    json["value"] = ValueJson(argument.value);
  }
  return json;
}

Json ArgumentsJson(const std::vector<spec::Argument>& arguments) {
  Json json = Json::array();
  for (const spec::Argument& argument : arguments) json.push_back(ArgumentJson(argument));
  return json;
}

Json ConstantsJson(const Constants& constants) {
  Json json = Json::object();
  for (const auto& [name, value] : constants) json[name] = ValueJson(value);
  return json;
}

// The code of a kernel. Its text stands as a hash: exact also for bytes that are not UTF-8.
Json CodeJson(const spec::Kernel& kernel) {
  Json json = {{"language", kernel.language},
               {"entry", kernel.entry},
               {"flags", kernel.flags},
               {"define", kernel.define}};
  if (kernel.by.empty()) json["source_sha256"] = Sha256Hex(kernel.source.text);
  for (const auto& [value, source] : kernel.variants) {
    json["by"] = kernel.by;
    json["variants_sha256"][value] = Sha256Hex(source.text);
  }
  if (!kernel.prepare.empty()) json["prepare"] = kernel.prepare;
  return json;
}

// With the file's name too, which the compiler's messages repeat.
Json StageJson(const spec::Kernel& kernel) {
  Json json = CodeJson(kernel);
  json["file"] = kernel.source.file;
  return json;
}

// In the order in which the canonical key has the tensors.
Json TensorNames(const op::Operator& op) {
  Json names = Json::array({op.tensors[op.output.tensor].name});
  for (const op::Access& factor : op.factors) names.push_back(op.tensors[factor.tensor].name);
  for (const op::EpilogueStep& step : op.epilogue) {
    if (step.kind == op::EpilogueKind::kAdd) names.push_back(op.tensors[step.operand.tensor].name);
  }
  return names;
}

Json ReferenceJson(const spec::Reference& reference) {
  Json json = {{"kind", ReferenceName(reference.kind)}};
  if (reference.kind == spec::Reference::Kind::kFunction) {
    json["language"] = reference.language;
    json["file"] = reference.source.file;
    json["source_sha256"] = Sha256Hex(reference.source.text);
    json["entry"] = reference.entry;
    json["flags"] = reference.flags;
  }
  if (reference.kind == spec::Reference::Kind::kOperator) {
    json["operator"] = op::CanonicalKey(*reference.op);
    // Tensors are found among the arguments by their names.
    json["tensors"] = TensorNames(*reference.op);
  }
  return json;
}

Json MeasureJson(const spec::MeasureOptions& measure) {
  Json json = {{"cache", measure.cache == spec::CacheState::kCold ? "cold" : "hot"},
               {"number", measure.number},
               {"repeat", measure.repeat},
               {"min_repeat_ms", measure.min_repeat_ms},
               {"warmup", measure.warmup},
               {"run_timeout_seconds", measure.run_timeout_seconds},
               {"compile_timeout_seconds", measure.compile_timeout_seconds}};
  if (!measure.varies_inputs) json["inputs"] = "as_filled";
  return json;
}

// The value of the parameter whose `{NAME}` starts `text`; nothing if none does.
const space::Setting* LeadingParameter(std::string_view text,
                                       const space::Configuration& configuration) {
  const size_t end = text.find('}');
  if (!text.starts_with('{') || end == std::string_view::npos) return nullptr;
  const auto named =
      std::ranges::find(configuration, text.substr(1, end - 1), &space::Setting::name);
  return named == configuration.end() ? nullptr : &*named;
}

std::string ExpandFlag(std::string_view flag, const space::Configuration& configuration) {
  std::string expanded;
  while (!flag.empty()) {
    if (const space::Setting* parameter = LeadingParameter(flag, configuration)) {
      expanded += expr::FormatBare(parameter->value);
      flag.remove_prefix(parameter->name.size() + 2);
    } else {
      expanded.push_back(flag.front());
      flag.remove_prefix(1);
    }
  }
  return expanded;
}

std::string MacroLine(const std::string& name, const expr::Value& value) {
  return absl::StrCat("#define ", name, " ", expr::FormatBare(value), "\n");
}

}  // namespace

TaskDefinition MakeTaskDefinition(const spec::JobSpec& spec) {
  TaskDefinition definition;
  definition.problem = spec.name;
  definition.stages = spec.kernels;
  definition.arguments = spec.arguments;
  definition.constants = spec.constants;
  for (const space::Parameter& parameter : spec.parameters) {
    definition.parameter_names.push_back(parameter.name);
  }
  definition.reference = spec.reference;
  definition.measure = spec.measure;
  if (AsksForCostly(spec)) definition.costly_goals = GoalsText(spec);
  return definition;
}

std::string CanonicalText(const TaskDefinition& definition) {
  Json stages = Json::array();
  for (const spec::Kernel& stage : definition.stages) stages.push_back(StageJson(stage));
  Json json = {{"problem", definition.problem},
               {"stages", stages},
               {"arguments", ArgumentsJson(definition.arguments)},
               {"constants", ConstantsJson(definition.constants)},
               {"parameters", definition.parameter_names},
               {"reference", ReferenceJson(definition.reference)},
               {"measure", MeasureJson(definition.measure)},
               {"input_seed", definition.input_seed}};
  if (!definition.costly_goals.empty()) json["costly_goals"] = definition.costly_goals;
  return ToText(json);
}

TaskHash HashOf(const TaskDefinition& definition) {
  return TaskHash(Sha256Hex(CanonicalText(definition)));
}

std::string ProblemKey(const spec::JobSpec& spec) {
  if (spec.workload) {
    Json key = Json::parse(op::CanonicalKey(*spec.workload));
    // A schedule for few cores is another answer.
    if (spec.threads > 0) key["threads"] = spec.threads;
    return ToText(key);
  }
  return ToText({{"name", spec.name},
                 {"constants", ConstantsJson(spec.constants)},
                 {"arguments", ArgumentsJson(spec.arguments)}});
}

std::string SourceHash(const spec::JobSpec& spec) {
  Json kernels = Json::array();
  for (const spec::Kernel& kernel : spec.kernels) kernels.push_back(CodeJson(kernel));
  return Sha256Hex(ToText(kernels));
}

std::string KernelFamily(const spec::JobSpec& spec) {
  if (spec.workload) return op::Family(*spec.workload);
  const bool has_code = std::ranges::any_of(spec.kernels, [](const spec::Kernel& kernel) {
    return !kernel.source.text.empty() || !kernel.variants.empty();
  });
  // Kernels of which there are only figures are told apart by their names.
  return has_code ? SourceHash(spec) : absl::StrCat(SourceHash(spec), " ", spec.name);
}

std::string MacroLines(const TaskDefinition& definition, const spec::Kernel& stage,
                       const space::Configuration& configuration) {
  std::string lines;
  for (const space::Setting& setting : configuration) {
    if (setting.name == stage.by) continue;
    lines += MacroLine(setting.name, setting.value);
  }
  for (const auto& [name, value] : definition.constants) {
    if (std::ranges::find(stage.define, name) != stage.define.end()) {
      lines += MacroLine(name, value);
    }
  }
  return lines;
}

absl::StatusOr<spec::Source> SourceOf(const spec::Kernel& stage,
                                      const space::Configuration& configuration) {
  if (stage.by.empty()) return stage.source;
  const auto chosen = std::ranges::find(configuration, stage.by, &space::Setting::name);
  const std::string value = chosen == configuration.end() ? "" : expr::FormatBare(chosen->value);
  const auto variant = stage.variants.find(value);
  if (variant != stage.variants.end()) return variant->second;
  return InvalidInput(absl::StrCat("there is no source for ", stage.by, " = '", value, "'"));
}

std::vector<std::string> ExpandFlags(const std::vector<std::string>& flags,
                                     const space::Configuration& configuration) {
  std::vector<std::string> expanded;
  for (const std::string& flag : flags) expanded.push_back(ExpandFlag(flag, configuration));
  return expanded;
}

}  // namespace burnish::work
