// `devices:`, an expression over what a device is, or the shorthand {name: value}.
#include <string>

#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/spec/expression_field.h"
#include "common/spec/fields.h"
#include "common/spec/section_readers.h"
#include "common/spec/vocabulary.h"

namespace burnish::spec {
namespace {

// "backend == 'cpu'", or "'avx2' in isa".
absl::StatusOr<std::string> Condition(const Node& node) {
  if (!IsSelectorName(node.key)) {
    return ErrorAtKey(node, "unknown name " + Quoted(node.key),
                      NameHint(node.key, SelectorNames()));
  }
  if (node.kind != Node::Kind::kScalar) return WrongType(node, "a single value");
  if (node.key == "backend") RETURN_IF_ERROR(ReadName(node, "backend", Backends()).status());
  const std::string value = expr::FormatValue(node.value);
  const bool list = node.key == "isa" || node.key == "isolation";
  return list ? value + " in " + node.key : node.key + " == " + value;
}

absl::StatusOr<expr::Expression> ReadShorthand(const Node& devices) {
  std::string text;
  for (const Node* node : devices.children) {
    ASSIGN_OR_RETURN(const std::string condition, Condition(*node));
    text += (text.empty() ? "" : " and ") + condition;
  }
  if (text.empty()) return ErrorAt(devices, "names no device", "leave `devices` out to use any");
  absl::StatusOr<expr::Expression> expression = expr::Expression::Parse(text);
  if (expression.ok()) return expression;
  const Diagnostic diagnostic = DiagnosticOf(expression.status()).value_or(Diagnostic{});
  return ErrorAt(devices, "read as `" + text + "`: " + diagnostic.message, diagnostic.hint);
}

}  // namespace

absl::Status ReadDevices(const Node& node, JobSpec& spec) {
  if (node.kind == Node::Kind::kMapping) {
    ASSIGN_OR_RETURN(spec.devices, ReadShorthand(node));
    return absl::OkStatus();
  }
  if (node.kind != Node::Kind::kScalar) {
    return WrongType(node, "an expression", "such as \"backend == 'cpu'\"");
  }
  ASSIGN_OR_RETURN(spec.devices, ParseExpression(node));
  for (size_t i = 0; i < spec.devices.names().size(); ++i) {
    const std::string& name = spec.devices.names()[i];
    if (IsSelectorName(name)) continue;
    return ErrorAtName(node, spec.devices, i, "unknown name " + Quoted(name),
                       NameHint(name, SelectorNames()));
  }
  return absl::OkStatus();
}

}  // namespace burnish::spec
