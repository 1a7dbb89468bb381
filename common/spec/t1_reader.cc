#include "common/spec/t1_reader.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/spec/expression_field.h"
#include "common/spec/fields.h"
#include "common/spec/naming.h"

namespace burnish::spec {
namespace {

using Values = std::vector<expr::Value>;

// `value` as the parameter's `Type` has it; an error says what would be right.
absl::StatusOr<expr::Value> Typed(const Node& node, const expr::Value& value,
                                  const std::string& type) {
  const auto* integer = std::get_if<int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  const bool number = integer != nullptr || real != nullptr;
  if (type.empty()) return value;
  if (type == "string" && std::holds_alternative<std::string>(value)) return value;
  if (type == "bool" && std::holds_alternative<bool>(value)) return value;
  if (type == "bool" && integer != nullptr && (*integer == 0 || *integer == 1)) {
    return expr::Value(*integer == 1);
  }
  if (type == "float" && number) {
    return expr::Value(real != nullptr ? *real : static_cast<double>(*integer));
  }
  if (type == "int" && integer != nullptr) return value;
  if (type == "uint" && integer != nullptr && *integer >= 0) return value;
  return ErrorAt(node, expr::FormatValue(value) + " is no " + type,
                 "make it one, or change the parameter's Type");
}

// A Python expression, or a JSON list of values.
absl::StatusOr<Values> ReadValues(const Node& node) {
  Values values;
  if (node.kind == Node::Kind::kList) {
    for (const Node* item : node.children) {
      if (item->kind != Node::Kind::kScalar) return WrongType(*item, "a value");
      values.push_back(item->value);
    }
    return values;
  }
  ASSIGN_OR_RETURN(const std::string text, ReadText(node, "write \"[1, 2, 4]\""));
  absl::StatusOr<Values> evaluated = EvaluatePythonList(text);
  if (!evaluated.ok()) return PlaceError(node, evaluated.status());
  return evaluated;
}

// Each value once, in order.
absl::StatusOr<space::Parameter> ReadParameter(const Node& node, JobSpec& spec) {
  RETURN_IF_ERROR(CheckMapping(node, "write {\"Name\": …, \"Type\": …, \"Values\": …}"));
  ASSIGN_OR_RETURN(const Node* const name, Require(node, "Name"));
  space::Parameter parameter;
  ASSIGN_OR_RETURN(parameter.name, ReadText(*name));
  RETURN_IF_ERROR(CheckExpressionName(*name, parameter.name, "a parameter"));
  for (const space::Parameter& other : spec.parameters) {
    if (other.name == parameter.name) {
      return ErrorAt(*name, "the parameter '" + parameter.name + "' stands twice");
    }
  }
  std::string type;
  if (const Node* written = node.Find("Type")) {
    ASSIGN_OR_RETURN(type,
                     ReadName(*written, "type", {{"int", "uint", "float", "bool", "string"}}));
  }
  ASSIGN_OR_RETURN(const Node* const values, Require(node, "Values"));
  ASSIGN_OR_RETURN(const Values listed, ReadValues(*values));
  if (listed.empty()) return ErrorAt(*values, "has no values", "list at least one value");
  if (listed.size() > limits::kParameterValues) {
    return ErrorAt(*values, absl::StrCat("has more than ", limits::kParameterValues, " values"));
  }
  for (const expr::Value& value : listed) {
    ASSIGN_OR_RETURN(expr::Value typed, Typed(*values, value, type));
    const bool known = std::any_of(parameter.values.begin(), parameter.values.end(),
                                   [&](const auto& each) { return expr::Equal(each, typed); });
    if (!known) parameter.values.push_back(std::move(typed));
  }
  if (parameter.values.size() < listed.size()) {
    spec.warnings.push_back(values->Path() + " lists a value twice");
  }
  return parameter;
}

absl::Status ReadCondition(const Node& node, JobSpec& spec) {
  RETURN_IF_ERROR(CheckMapping(node, "write {\"Expression\": …, \"Parameters\": […]}"));
  ASSIGN_OR_RETURN(const Node* const text, Require(node, "Expression"));
  ASSIGN_OR_RETURN(const std::string written, ReadText(*text));
  const absl::StatusOr<expr::Expression> constraint = ParsePythonExpression(written);
  if (!constraint.ok()) return PlaceError(*text, constraint.status());
  RETURN_IF_ERROR(CheckNames(*text, *constraint, spec, NameScope::kConstantsAndParameters));
  spec.constraints.push_back(*constraint);
  return absl::OkStatus();
}

// Kernel Tuner's `Default`s, if they make a configuration: published files have some that break the
// constraints or lie outside the values.
void ReadDefault(const Node& parameters, JobSpec& spec) {
  space::Configuration configuration;
  for (size_t p = 0; p < spec.parameters.size(); ++p) {
    const space::Parameter& parameter = spec.parameters[p];
    const Node* node = parameters.children[p]->Find("Default");
    if (node != nullptr && node->kind == Node::Kind::kList && node->children.size() == 1) {
      node = node->children.front();
    }
    if (parameter.values.size() == 1) {
      configuration.push_back({parameter.name, parameter.values.front()});
      continue;
    }
    if (node == nullptr || node->kind != Node::Kind::kScalar) return;
    const auto listed = std::find_if(parameter.values.begin(), parameter.values.end(),
                                     [node](const auto& v) { return expr::Equal(v, node->value); });
    if (listed == parameter.values.end()) {
      spec.warnings.push_back(node->Path() + " is not among the values; no default is taken");
      return;
    }
    configuration.push_back({parameter.name, *listed});
  }
  for (const expr::Expression& constraint : spec.constraints) {
    Values values;
    for (const std::string& name : constraint.names()) {
      const auto setting = std::find_if(configuration.begin(), configuration.end(),
                                        [&name](const auto& each) { return each.name == name; });
      values.push_back(setting->value);
    }
    if (constraint.Test(values).value_or(false)) continue;
    spec.warnings.push_back("the Default values break '" + constraint.text() +
                            "'; no default is taken");
    return;
  }
  spec.default_configuration = std::move(configuration);
}

absl::Status ReadConfigurationSpace(const Node& root, JobSpec& spec) {
  const Node& space = *root.Find("ConfigurationSpace");
  RETURN_IF_ERROR(CheckMapping(space));
  ASSIGN_OR_RETURN(const Node* const parameters, Require(space, "TuningParameters"));
  RETURN_IF_ERROR(CheckList(*parameters));
  if (parameters->children.empty()) return ErrorAt(*parameters, "there is no parameter to tune");
  if (parameters->children.size() > limits::kParameters) {
    return ErrorAt(*parameters, absl::StrCat("has more than ", limits::kParameters, " parameters"));
  }
  for (const Node* node : parameters->children) {
    ASSIGN_OR_RETURN(space::Parameter parameter, ReadParameter(*node, spec));
    spec.parameters.push_back(std::move(parameter));
  }
  if (const Node* conditions = space.Find("Conditions")) {
    RETURN_IF_ERROR(CheckList(*conditions));
    if (conditions->children.size() > limits::kConstraints) {
      return ErrorAt(*conditions,
                     absl::StrCat("has more than ", limits::kConstraints, " conditions"));
    }
    for (const Node* node : conditions->children) RETURN_IF_ERROR(ReadCondition(*node, spec));
  }
  ReadDefault(*parameters, spec);
  return absl::OkStatus();
}

// The share of the valid configurations that `ConfigurationFraction` asks for.
absl::StatusOr<int64_t> TrialsOfFraction(const Node& value, const JobSpec& spec) {
  ASSIGN_OR_RETURN(const double fraction, ReadPositive(value, 1));
  const auto space = space::SearchSpace::Create(spec.parameters, spec.constraints);
  if (!space.ok()) return PlaceError(value, space.status());
  return static_cast<int64_t>(std::ceil(fraction * static_cast<double>(space->size())));
}

// Whichever of the budgets is spent first ends the job.
absl::Status ReadT1Budget(const Node& budgets, JobSpec& spec) {
  RETURN_IF_ERROR(CheckList(budgets, "write [{\"Type\": …, \"BudgetValue\": …}]"));
  if (budgets.children.empty()) return absl::OkStatus();
  spec.budget.trials = limits::kBudgetTrials;
  for (const Node* budget : budgets.children) {
    RETURN_IF_ERROR(CheckMapping(*budget));
    ASSIGN_OR_RETURN(const Node* const type, Require(*budget, "Type"));
    ASSIGN_OR_RETURN(const Node* const value, Require(*budget, "BudgetValue"));
    ASSIGN_OR_RETURN(const std::string name,
                     ReadName(*type, "budget",
                              {{"TuningDuration", "ConfigurationCount", "ConfigurationFraction"}}));
    if (name == "TuningDuration") {
      ASSIGN_OR_RETURN(const double seconds, ReadPositive(*value, limits::kBudgetSeconds));
      spec.budget.seconds = std::min(seconds, spec.budget.seconds.value_or(seconds));
      continue;
    }
    int64_t trials = 0;
    if (name == "ConfigurationCount") {
      ASSIGN_OR_RETURN(trials, ReadInteger(*value, 1, limits::kBudgetTrials));
    } else {
      ASSIGN_OR_RETURN(trials, TrialsOfFraction(*value, spec));
    }
    spec.budget.trials = std::min(trials, spec.budget.trials);
  }
  return absl::OkStatus();
}

// The strategy of ours that does what a searcher of KTT or Kernel Tuner does.
absl::Status ReadSearch(const Node& search, JobSpec& spec) {
  RETURN_IF_ERROR(CheckMapping(search));
  const Node* node = search.Find("Name");
  if (node == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string written, ReadText(*node));
  const std::string name = absl::AsciiStrToLower(written);
  if (name == "deterministic" || name == "brute_force") {
    spec.strategy.name = "exhaustive";
  } else if (name == "random" || name == "random_sample") {
    spec.strategy.name = "random";
  } else if (name == "genetic_algorithm") {
    spec.strategy.name = "genetic";
  } else if (name == "mls" || name == "greedy_mls" || name == "greedy_ils") {
    spec.strategy.name = "local";
  } else if (name != "auto") {
    spec.warnings.push_back("Search.Name: no " + Quoted(written) + " here; the strategy is auto");
  }
  return absl::OkStatus();
}

// KTT leaves it out; Kernel Tuner's sizes may use it, and lists of parameters' values.
NamedLists ListsOf(const Node* kernel, const JobSpec& spec) {
  NamedLists lists;
  for (const space::Parameter& parameter : spec.parameters) {
    lists[parameter.name] = parameter.values;
  }
  const Node* problem_size = kernel != nullptr ? kernel->Find("ProblemSize") : nullptr;
  if (problem_size == nullptr) return lists;
  for (const Node* extent : problem_size->children) {
    lists["ProblemSize"].push_back(extent->kind == Node::Kind::kScalar ? extent->value : false);
  }
  return lists;
}

absl::Status ReadT1Name(const Node& root, JobSpec& spec) {
  const Node* general = root.Find("General");
  const Node* kernel = root.Find("KernelSpecification");
  const Node* name = general != nullptr ? general->Find("BenchmarkName") : nullptr;
  if (name == nullptr && kernel != nullptr) name = kernel->Find("KernelName");
  spec.name = "t1";
  if (name == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(spec.name, ReadText(*name));
  if (spec.name.size() <= limits::kNameBytes) return absl::OkStatus();
  return ErrorAt(*name, absl::StrCat("is longer than ", limits::kNameBytes, " bytes"));
}

}  // namespace

bool IsT1(const Node& root) { return root.Find("ConfigurationSpace") != nullptr; }

absl::StatusOr<JobSpec> ReadT1(const Node& root, const JobText& job, SourceCheck check) {
  JobSpec spec;
  RETURN_IF_ERROR(ReadT1Name(root, spec));
  RETURN_IF_ERROR(ReadConfigurationSpace(root, spec));
  if (const Node* budgets = root.Find("Budget")) RETURN_IF_ERROR(ReadT1Budget(*budgets, spec));
  if (const Node* search = root.Find("Search")) RETURN_IF_ERROR(ReadSearch(*search, spec));
  spec.reference.kind = Reference::Kind::kNone;
  if (check == SourceCheck::kNotNeeded) return spec;
  ASSIGN_OR_RETURN(const Node* const kernel, Require(root, "KernelSpecification"));
  RETURN_IF_ERROR(CheckMapping(*kernel));
  const absl::Status served = ReadT1Kernel(*kernel, job, ListsOf(kernel, spec), spec);
  if (!served.ok()) {
    spec.unserved = DiagnosticOf(served);
    spec.warnings.push_back("`tune` will refuse this job: " +
                            FormatDiagnostic(spec.unserved.value_or(Diagnostic{})));
  } else {
    spec.warnings.push_back("a T1 file names no reference function: its results stay unverified");
  }
  return spec;
}

const Node* FindT1Condition(const Node& root, size_t index) {
  const Node* space = root.Find("ConfigurationSpace");
  const Node* conditions = space != nullptr ? space->Find("Conditions") : nullptr;
  if (conditions == nullptr || index >= conditions->children.size()) return nullptr;
  return conditions->children[index]->Find("Expression");
}

}  // namespace burnish::spec
