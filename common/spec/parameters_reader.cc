// Constants, parameters, constraints and the default configuration.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/spec/domain_reader.h"
#include "common/spec/expression_field.h"
#include "common/spec/fields.h"
#include "common/spec/naming.h"
#include "common/spec/section_readers.h"
#include "common/spec/vocabulary.h"

namespace burnish::spec {
namespace {

absl::Status CheckCount(const Node& node, size_t maximum, const std::string& what) {
  if (node.children.size() <= maximum) return absl::OkStatus();
  return ErrorAtKey(node, std::to_string(node.children.size()) + " " + what + "; at most " +
                              std::to_string(maximum) + " are accepted");
}

absl::Status ReadConstraint(const Node& node, JobSpec& spec) {
  ASSIGN_OR_RETURN(const expr::Expression written, ParseExpression(node));
  RETURN_IF_ERROR(CheckNames(node, written, spec, NameScope::kConstantsAndParameters));
  expr::Expression constraint =
      written.Substitute([&spec](std::string_view name) { return FindConstant(spec, name); });
  if (constraint.names().empty()) {
    const absl::StatusOr<bool> holds = constraint.Test({});
    if (!holds.ok()) return PlaceError(node, holds.status());
    if (!*holds) {
      return ErrorAt(
          node, "the search space is empty: this constraint is false whatever the configuration",
          "correct it, or the constants that it uses");
    }
  }
  spec.constraints.push_back(std::move(constraint));
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadConstants(const Node& constants, JobSpec& spec) {
  RETURN_IF_ERROR(CheckMapping(constants, "write {name: value}"));
  RETURN_IF_ERROR(CheckCount(constants, limits::kConstants, "constants"));
  for (const Node* node : constants.children) {
    RETURN_IF_ERROR(CheckExpressionName(*node, node->key, "a constant"));
    RETURN_IF_ERROR(CheckMacroValue(*node));
    spec.constants.emplace_back(node->key, node->value);
  }
  return absl::OkStatus();
}

absl::Status ReadParameters(const Node& parameters, JobSpec& spec) {
  RETURN_IF_ERROR(CheckMapping(parameters, "write {NAME: [value, …]}"));
  if (parameters.children.empty()) return ErrorAtKey(parameters, "there is no parameter to tune");
  RETURN_IF_ERROR(CheckCount(parameters, limits::kParameters, "parameters"));
  const bool in_code = spec.kernels.empty() || spec.kernels.front().language != kReplayLanguage;
  for (const Node* node : parameters.children) {
    RETURN_IF_ERROR(CheckExpressionName(*node, node->key, "a parameter"));
    if (in_code) RETURN_IF_ERROR(CheckMacroName(*node, node->key, "a parameter"));
    if (FindConstant(spec, node->key).has_value()) {
      return ErrorAtKey(*node, "'" + node->key + "' is a constant already", "choose another name");
    }
    space::Parameter parameter{node->key, {}};
    RETURN_IF_ERROR(ReadDomain(*node, spec, parameter));
    spec.parameters.push_back(std::move(parameter));
  }
  return absl::OkStatus();
}

absl::Status ReadDefault(const Node& configuration, JobSpec& spec) {
  Vocabulary names;
  for (const space::Parameter& parameter : spec.parameters) names.known.push_back(parameter.name);
  RETURN_IF_ERROR(CheckMapping(configuration, "write {NAME: value}, a value for each parameter"));
  for (const Node* node : configuration.children) {
    if (std::find(names.known.begin(), names.known.end(), node->key) != names.known.end()) continue;
    return ErrorAtKey(*node, Quoted(node->key) + " is not a parameter",
                      NameHint(node->key, names.known));
  }
  space::Configuration setting;
  for (const space::Parameter& parameter : spec.parameters) {
    const Node* node = configuration.Find(parameter.name);
    if (node == nullptr) {
      return ErrorAtKey(configuration, "the parameter '" + parameter.name + "' is missing",
                        "a default configuration has a value for each parameter");
    }
    ASSIGN_OR_RETURN(expr::Value value, FindValue(*node, parameter));
    setting.push_back({parameter.name, std::move(value)});
  }
  spec.default_configuration = std::move(setting);
  return absl::OkStatus();
}

absl::Status ReadConstraints(const Node& constraints, JobSpec& spec) {
  RETURN_IF_ERROR(CheckList(constraints, "write [\"expression\", …]"));
  RETURN_IF_ERROR(CheckCount(constraints, limits::kConstraints, "constraints"));
  for (const Node* node : constraints.children) RETURN_IF_ERROR(ReadConstraint(*node, spec));
  return absl::OkStatus();
}

}  // namespace burnish::spec
