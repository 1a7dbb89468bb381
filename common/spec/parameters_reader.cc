// Constants, parameters, constraints and the default configuration.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/spec/expression_field.h"
#include "common/spec/fields.h"
#include "common/spec/naming.h"
#include "common/spec/section_readers.h"
#include "common/spec/utf8.h"
#include "common/spec/vocabulary.h"

namespace burnish::spec {
namespace {

absl::Status CheckCount(const Node& node, size_t maximum, const std::string& what) {
  if (node.children.size() <= maximum) return absl::OkStatus();
  return ErrorAtKey(node, std::to_string(node.children.size()) + " " + what + "; at most " +
                              std::to_string(maximum) + " are accepted");
}

absl::Status CheckScalar(const Node& node) {
  if (node.kind == Node::Kind::kScalar) return absl::OkStatus();
  return WrongType(node, "a number, a string or a boolean");
}

// A value that a macro line can carry.
absl::Status CheckMacroValue(const Node& node) {
  RETURN_IF_ERROR(CheckScalar(node));
  const bool one_line = TextPrefix(node.text) == node.text.size() &&
                        node.text.find_first_of("\r\n") == std::string::npos;
  if (one_line && node.text.size() <= limits::kNameBytes) return absl::OkStatus();
  return ErrorAt(
      node, "must be a single line of at most " + std::to_string(limits::kNameBytes) + " bytes");
}

// The same text for values that are equal in expressions: 1, 1.0 and true.
std::string IdentityOf(const expr::Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "1" : "0";
  const auto* real = std::get_if<double>(&value);
  constexpr double kEveryIntegerBelow = 9.2e18;
  if (real != nullptr && std::trunc(*real) == *real && std::fabs(*real) < kEveryIntegerBelow) {
    return std::to_string(static_cast<int64_t>(*real));
  }
  return expr::FormatValue(value);
}

absl::Status ReadValues(const Node& list, space::Parameter& parameter) {
  RETURN_IF_ERROR(CheckList(list, list.kind == Node::Kind::kScalar
                                      ? "write [" + list.text + "] for a single value"
                                      : ""));
  if (list.children.empty()) return ErrorAt(list, "has no values", "list at least one value");
  RETURN_IF_ERROR(CheckCount(list, limits::kParameterValues, "values"));
  absl::flat_hash_map<std::string, const Node*> seen;
  for (const Node* item : list.children) {
    RETURN_IF_ERROR(CheckMacroValue(*item));
    const auto [first, inserted] = seen.emplace(IdentityOf(item->value), item);
    if (!inserted) {
      return ErrorAt(*item, "the value " + expr::FormatValue(item->value) + " stands twice",
                     "it equals " + first->second->Path());
    }
    parameter.values.push_back(item->value);
  }
  return absl::OkStatus();
}

// The value of `node` as the parameter lists it.
absl::StatusOr<expr::Value> FindValue(const Node& node, const space::Parameter& parameter) {
  RETURN_IF_ERROR(CheckScalar(node));
  std::string listed;
  for (const expr::Value& value : parameter.values) {
    if (expr::Equal(value, node.value)) return value;
    if (!listed.empty()) listed += ", ";
    if (listed.size() < 100) listed += expr::FormatValue(value);
  }
  return ErrorAt(node,
                 expr::FormatValue(node.value) + " is not a value of '" + parameter.name + "'",
                 "values: " + std::string(CutText(listed, 120)));
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
    RETURN_IF_ERROR(ReadValues(*node, parameter));
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
