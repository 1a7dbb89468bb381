#include "common/space/declaration_check.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/expr/operand.h"

namespace burnish::space {
namespace {

absl::Status Error(std::string path, std::string message, std::string hint = "") {
  Diagnostic diagnostic;
  diagnostic.path = std::move(path);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  return DiagnosticStatus(absl::StatusCode::kInvalidArgument, diagnostic);
}

// A strict order in which equal values are neighbours: numbers before strings.
bool Before(const expr::Value* a, const expr::Value* b) {
  const expr::Operand left = expr::View(*a);
  const expr::Operand right = expr::View(*b);
  if (left.is_number() != right.is_number()) return left.is_number();
  if (left.is_number()) return expr::CompareNumbers(left, right) < 0;
  return *left.payload.string < *right.payload.string;
}

absl::Status CheckValues(const Parameter& parameter) {
  const std::string path = absl::StrCat("parameters.", parameter.name);
  if (parameter.values.empty()) {
    return Error(path, absl::StrCat("'", parameter.name, "' has no values"));
  }
  if (parameter.values.size() > limits::kParameterValues) {
    return Error(path, absl::StrCat("'", parameter.name, "' has more than ",
                                    limits::kParameterValues, " values"));
  }
  std::vector<const expr::Value*> sorted;
  for (const expr::Value& value : parameter.values) {
    const bool is_list = std::holds_alternative<expr::List>(value);
    if (is_list || !expr::Equal(value, value)) {  // a NaN equals nothing
      return Error(path,
                   absl::StrCat("'", parameter.name, "' has the value ", expr::FormatValue(value)),
                   "values are numbers, strings and booleans");
    }
    sorted.push_back(&value);
  }
  std::sort(sorted.begin(), sorted.end(), Before);
  const auto duplicate =
      std::adjacent_find(sorted.begin(), sorted.end(),
                         [](const auto* a, const auto* b) { return expr::Equal(*a, *b); });
  if (duplicate == sorted.end()) return absl::OkStatus();
  return Error(path, absl::StrCat("'", parameter.name, "' has the value ",
                                  expr::FormatValue(**duplicate), " twice"));
}

}  // namespace

absl::Status CheckParameters(const std::vector<Parameter>& parameters) {
  if (parameters.size() > limits::kParameters) {
    return Error("parameters", absl::StrCat("more than ", limits::kParameters, " parameters"));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    RETURN_IF_ERROR(CheckValues(parameters[i]));
    for (size_t j = 0; j < i; ++j) {
      if (parameters[i].name != parameters[j].name) continue;
      return Error(absl::StrCat("parameters.", parameters[i].name),
                   absl::StrCat("'", parameters[i].name, "' is declared twice"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckConstraints(const std::vector<Parameter>& parameters,
                              const std::vector<expr::Expression>& constraints) {
  std::vector<std::string> known;
  for (const Parameter& parameter : parameters) known.push_back(parameter.name);
  for (size_t i = 0; i < constraints.size(); ++i) {
    for (const std::string& name : constraints[i].names()) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      return Error(absl::StrCat("constraints[", i, "]"), absl::StrCat("unknown name '", name, "'"),
                   NameHint(name, known));
    }
  }
  return absl::OkStatus();
}

}  // namespace burnish::space
