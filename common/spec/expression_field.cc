#include "common/spec/expression_field.h"

#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "common/base/diagnostic.h"
#include "common/base/status_macros.h"
#include "common/spec/fields.h"

namespace burnish::spec {
namespace {

// The place of a column of the expression's text in the file, if the text stands there as it is:
// on one line, without escapes.
std::optional<Place> PlaceInside(const Node& node, int column) {
  if (column < 1 || node.place.line < 1) return std::nullopt;
  const std::string_view line = node.document->Line(node.place.line);
  for (const int quote : {0, 1}) {
    const size_t start = static_cast<size_t>(node.place.column) - 1 + quote;
    if (start <= line.size() && line.substr(start, node.text.size()) == node.text) {
      return Place{node.place.line, static_cast<int>(start) + column};
    }
  }
  return std::nullopt;
}

absl::Status ErrorInside(const Node& node, int column, const std::string& message,
                         std::string_view hint, absl::StatusCode code) {
  const std::optional<Place> inside = PlaceInside(node, column);
  if (inside.has_value()) {
    return node.document->Error(*inside, node.Path(), message, hint, code);
  }
  const std::string where =
      column > 0 ? " (at character " + std::to_string(column) + " of the expression)" : "";
  return node.document->Error(node.place, node.Path(), message + where, hint, code);
}

struct Bound {
  expr::Expression expression;
  std::vector<expr::Value> values;
};

absl::StatusOr<Bound> BindConstants(const Node& node, const JobSpec& spec) {
  ASSIGN_OR_RETURN(expr::Expression expression, ParseExpression(node));
  RETURN_IF_ERROR(CheckNames(node, expression, spec, NameScope::kConstants));
  std::vector<expr::Value> values;
  for (const std::string& name : expression.names()) values.push_back(*FindConstant(spec, name));
  return Bound{std::move(expression), std::move(values)};
}

}  // namespace

std::optional<expr::Value> FindConstant(const JobSpec& spec, std::string_view name) {
  for (const auto& [constant, value] : spec.constants) {
    if (constant == name) return value;
  }
  return std::nullopt;
}

absl::StatusOr<expr::Expression> ParseExpression(const Node& node) {
  if (node.kind != Node::Kind::kScalar) return WrongType(node, "an expression");
  absl::StatusOr<expr::Expression> expression = expr::Expression::Parse(node.text);
  if (!expression.ok()) return PlaceError(node, expression.status());
  return expression;
}

absl::Status PlaceError(const Node& node, const absl::Status& error) {
  const std::optional<Diagnostic> diagnostic = DiagnosticOf(error);
  if (!diagnostic.has_value()) {
    return ErrorInside(node, 0, std::string(error.message()), "", error.code());
  }
  return ErrorInside(node, diagnostic->column, diagnostic->message, diagnostic->hint, error.code());
}

absl::Status ErrorAtName(const Node& node, const expr::Expression& expression, size_t index,
                         std::string_view message, std::string_view hint) {
  return ErrorInside(node, expression.NameColumn(index), std::string(message), hint,
                     absl::StatusCode::kInvalidArgument);
}

absl::Status CheckNames(const Node& node, const expr::Expression& expression, const JobSpec& spec,
                        NameScope scope) {
  for (size_t i = 0; i < expression.names().size(); ++i) {
    const std::string& name = expression.names()[i];
    if (FindConstant(spec, name).has_value()) continue;
    std::vector<std::string> known;
    for (const auto& [constant, value] : spec.constants) known.push_back(constant);
    bool is_parameter = false;
    for (const space::Parameter& parameter : spec.parameters) {
      if (scope == NameScope::kConstantsAndParameters) known.push_back(parameter.name);
      is_parameter = is_parameter || parameter.name == name;
    }
    if (is_parameter && scope == NameScope::kConstantsAndParameters) continue;
    const std::string wrong = is_parameter
                                  ? "'" + name + "' is a parameter: only constants can be used here"
                                  : "unknown name " + Quoted(name);
    return ErrorAtName(node, expression, i, wrong, is_parameter ? "" : NameHint(name, known));
  }
  return absl::OkStatus();
}

absl::StatusOr<expr::Value> EvaluateConstant(const Node& node, const JobSpec& spec) {
  ASSIGN_OR_RETURN(const Bound bound, BindConstants(node, spec));
  absl::StatusOr<expr::Value> value = bound.expression.Evaluate(bound.values);
  if (!value.ok()) return PlaceError(node, value.status());
  return value;
}

absl::StatusOr<int64_t> EvaluateConstantInteger(const Node& node, const JobSpec& spec) {
  ASSIGN_OR_RETURN(const Bound bound, BindConstants(node, spec));
  absl::StatusOr<int64_t> value = bound.expression.EvaluateInteger(bound.values);
  if (!value.ok()) return PlaceError(node, value.status());
  return value;
}

absl::StatusOr<double> EvaluateConstantReal(const Node& node, const JobSpec& spec) {
  ASSIGN_OR_RETURN(const expr::Value value, EvaluateConstant(node, spec));
  const std::optional<double> real = expr::RealOf(value);
  if (real && std::isfinite(*real)) return *real;
  return ErrorAt(node, "must be a finite number, not " + expr::FormatValue(value));
}

}  // namespace burnish::spec
